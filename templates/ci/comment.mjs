// Writes a file as one comment on a pull request (GitHub) or merge request (GitLab), and updates it in later runs:
//   node comment.mjs <file.md>
// The first line of the file is the mark by which the comment is found. Only a comment of this pipeline's own account is
// updated, so a mark in a comment of another account has no effect. An unchanged text is not written again.
import { appendFileSync, readFileSync } from 'node:fs';

const { env } = process;
const PAGE = 100;
const MAX_PAGES = 50;

const needed = (name, from) => {
  const value = env[name];
  if (value) return value;
  throw new Error(`${name} is not set: ${from}`);
};

const github = () => {
  const headers = { authorization: `Bearer ${needed('GITHUB_TOKEN', 'pass the token of the job')}`, accept: 'application/vnd.github+json' };
  const api = `${needed('GITHUB_API_URL', 'run this in GitHub Actions')}/repos/${needed('GITHUB_REPOSITORY', 'run this in GitHub Actions')}`;
  const issue = `${api}/issues/${needed('PULL_REQUEST', 'run this for a pull request, and pass its number')}/comments`;
  return {
    headers,
    list: issue,
    create: { method: 'POST', url: issue },
    update: ({ id }) => ({ method: 'PATCH', url: `${api}/issues/comments/${id}` }),
    isOwn: async ({ user }) => user?.type === 'Bot',
  };
};

const gitlab = () => {
  const headers = { 'private-token': needed('GITLAB_TOKEN', 'make a project access token with the scope api, and pass it as a masked variable') };
  const api = needed('CI_API_V4_URL', 'run this in GitLab CI');
  const request = needed('CI_MERGE_REQUEST_IID', 'run this in a pipeline of a merge request');
  const notes = `${api}/projects/${needed('CI_PROJECT_ID', 'run this in GitLab CI')}/merge_requests/${request}/notes`;
  let self;
  return {
    headers,
    list: notes,
    create: { method: 'POST', url: notes },
    update: ({ id }) => ({ method: 'PUT', url: `${notes}/${id}` }),
    isOwn: async ({ author }) => {
      self ??= (await call(headers, { method: 'GET', url: `${api}/user` })).id;
      return author?.id === self;
    },
  };
};

/** A refusal of the API; `isDenied` if the token may not write. */
class RefusedError extends Error {
  constructor({ method, url }, { status, text }) {
    super(`${method} ${new URL(url).pathname}: ${status} ${text.slice(0, 200)}`);
    this.isDenied = status === 401 || status === 403 || status === 404;
  }
}

const call = async (headers, { method, url }, body) => {
  const response = await fetch(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (!response.ok) throw new RefusedError({ method, url }, { status: response.status, text });
  return JSON.parse(text);
};

const findOwn = async ({ headers, list, isOwn }, mark) => {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const comments = await call(headers, { method: 'GET', url: `${list}?per_page=${PAGE}&page=${page}` });
    for (const comment of comments) if (comment.body?.startsWith(mark) && (await isOwn(comment))) return comment;
    if (comments.length < PAGE) return undefined;
  }
  return undefined;
};

/** Some forges end a text with another kind of line break than was sent. */
const plain = (text) => text.replaceAll('\r\n', '\n').trim();

const writeComment = async (body) => {
  const forge = env['GITLAB_CI'] ? gitlab() : github();
  const own = await findOwn(forge, body.split('\n', 1)[0]);
  if (own && plain(own.body) === plain(body)) return 'The comment is up to date';
  await call(forge.headers, own ? forge.update(own) : forge.create, { body });
  return own ? 'The comment is updated' : 'The comment is written';
};

const [file] = process.argv.slice(2);
const body = readFileSync(file ?? '/dev/stdin', 'utf8');
if (!body.startsWith('<!-- cdk8s-reconcile ')) {
  console.error(`Cannot write a comment: ${file} has no mark in its first line; write it with -o markdown`);
  process.exit(1);
}
if (env['GITHUB_STEP_SUMMARY']) appendFileSync(env['GITHUB_STEP_SUMMARY'], body);
try {
  console.log(await writeComment(body));
} catch (error) {
  // The token of a pull request from a fork may only read. The text is in the output of the job then.
  console.error(`Cannot write the comment: ${error.message}`);
  if (!(error instanceof RefusedError && error.isDenied)) process.exit(1);
  console.log(body);
}
