// Writes a file as one comment on a pull request (GitHub) or merge request (GitLab), and updates it in later runs:
//   node comment.mjs <file.md>
// The first line of the file is the mark by which the comment is found. RECONCILE_NAME becomes part of the mark, so pipelines
// with different names have different comments. Only a comment of the account of the token is updated, so a mark in a comment
// of another account has no effect. An unchanged text is not written again.
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
  // GET /user accepts only the token of a user. The GraphQL API also names the account of a job's token or of a GitHub App.
  const viewer = { method: 'POST', url: needed('GITHUB_GRAPHQL_URL', 'run this in GitHub Actions') };
  let self;
  return {
    headers,
    list: issue,
    create: { method: 'POST', url: issue },
    update: ({ id }) => ({ method: 'PATCH', url: `${api}/issues/comments/${id}` }),
    isOwn: async ({ user }) => {
      self ??= (await call(headers, viewer, { query: '{ viewer { login } }' })).data?.viewer?.login;
      if (!self) throw new Error('GitHub does not name the account of the token');
      return user?.login === self;
    },
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

/** A refusal of the API; `isDenied` if the token does not have the right. */
class RefusedError extends Error {
  constructor({ method, url }, { status, text }) {
    super(`${method} ${new URL(url).pathname}: ${status} ${text.slice(0, 200)}`);
    this.isDenied = (status === 403 || status === 404) && !/rate limit/i.test(text);
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

/** Sends a write. Returns false if the token may not make it. */
const isWritten = async ({ headers }, request, body) => {
  try {
    await call(headers, request, { body });
    return true;
  } catch (error) {
    if (!error.isDenied) throw error;
    console.error(`Cannot write the comment: ${error.message}`);
    return false;
  }
};

const writeComment = async (body) => {
  const forge = env['GITLAB_CI'] ? gitlab() : github();
  const own = await findOwn(forge, body.split('\n', 1)[0]);
  if (own && plain(own.body) === plain(body)) return 'The comment is up to date';
  if (own && (await isWritten(forge, forge.update(own), body))) return 'The comment is updated';
  if (await isWritten(forge, forge.create, body)) return 'The comment is written';
  // The token of a pull request from a fork may only read. The text is in the output of the job then.
  return body;
};

const MARK = '<!-- cdk8s-reconcile ';

/** Adds the name of the pipeline to the mark, and shows the name above the text. */
const named = (text, name) => {
  if (!text.startsWith(MARK)) throw new Error('the file has no mark in its first line; write it with -o markdown');
  if (!/^[\w .-]*$/.test(name)) throw new Error(`the name "${name}" may have only letters, digits, spaces and . _ -`);
  return name === '' ? text : text.replace(' -->\n', `: ${name} -->\n\`${name}\`\n\n`);
};

try {
  const [file] = process.argv.slice(2);
  const body = named(readFileSync(file ?? '/dev/stdin', 'utf8'), env['RECONCILE_NAME'] ?? '');
  if (env['GITHUB_STEP_SUMMARY']) appendFileSync(env['GITHUB_STEP_SUMMARY'], body);
  console.log(await writeComment(body));
} catch (error) {
  console.error(`Cannot write the comment: ${error.message}`);
  process.exit(1);
}
