import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repository } from '#test/architecture/repository.ts';

interface Comment {
  readonly id: number;
  body: string;
  /** GitHub. */
  readonly user?: { readonly type: string };
  /** GitLab. */
  readonly author?: { readonly id: number };
}

const BOT = { user: { type: 'Bot' }, author: { id: 7 } };
const PERSON = { user: { type: 'User' }, author: { id: 8 } };
const MARK = '<!-- cdk8s-reconcile plan -->';

const action = join(repository, '.github/actions/plan');
const script = join(repository, 'templates/ci/comment.mjs');

/** A program that prints what `plan` would print, and ends as it would end. */
const fakeNpx = (text: string, code: number): string =>
  `#!/usr/bin/env bash\nprintf '%s|' "$@" > "$CALLED"\nprintf '%b' ${JSON.stringify(text).replaceAll('`', '\\`')}\nexit ${code}\n`;

const answerWith = (response: ServerResponse, value: unknown, code = 200): void =>
  void response.writeHead(code).end(JSON.stringify(value));

let folder = '';
let server: Server;
let url = '';
let comments: Comment[] = [];
let requests: string[] = [];
let tokens: string[] = [];
/** Writes get this status instead of success. */
let refusal: number | undefined;

beforeEach(async () => {
  [comments, requests, tokens, refusal] = [[], [], [], undefined];
  folder = await mkdtemp(join(tmpdir(), 'comment-'));
  server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    const { pathname, searchParams } = new URL(path, 'http://x');
    requests.push(`${method} ${path}`);
    tokens.push(String(headers.authorization ?? headers['private-token']));
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (method !== 'GET' && refusal !== undefined) return answerWith(response, { message: 'no' }, refusal);
      if (pathname.endsWith('/user')) return answerWith(response, BOT.author);
      if (method === 'GET') {
        const from = (Number(searchParams.get('page')) - 1) * 100;
        return answerWith(response, comments.slice(from, from + 100));
      }
      const { body } = JSON.parse(text) as { body: string };
      const old = comments.find(({ id }) => pathname.endsWith(`/${id}`));
      if (old) old.body = body;
      else comments.push({ id: comments.length + 1, body, ...BOT });
      return answerWith(response, {});
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

interface Ended {
  readonly code: number;
  readonly printed: string;
}

const runProgram = async (words: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> => {
  const [program = '', ...args] = words;
  const PATH = [join(folder, 'bin'), process.env['PATH']].join(delimiter);
  const child = spawn(program, args, { cwd: folder, env: { PATH, CALLED: join(folder, 'called'), ...env } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, printed };
};

const onGitHub = (): Record<string, string> => ({
  GITHUB_API_URL: url,
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_TOKEN: 'token',
  PULL_REQUEST: '12',
});

const onGitLab = (): Record<string, string> => ({
  GITLAB_CI: 'true',
  CI_API_V4_URL: url,
  CI_PROJECT_ID: '5',
  CI_MERGE_REQUEST_IID: '12',
  GITLAB_TOKEN: 'token',
});

/** Requests that write. */
const writes = (): string[] => requests.filter((request) => !request.startsWith('GET'));

const commented = async (text: string, env: Readonly<Record<string, string>>): Promise<Ended> => {
  await writeFile(join(folder, 'plan.md'), text);
  return runProgram([process.execPath, script, 'plan.md'], env);
};

const GITHUB = {
  forge: 'GitHub',
  env: onGitHub,
  update: 'PATCH',
  list: '/repos/acme/shop/issues/12/comments',
  one: '/repos/acme/shop/issues/comments',
  header: 'Bearer token',
};

const notes = '/projects/5/merge_requests/12/notes';
const GITLAB = { forge: 'GitLab', env: onGitLab, update: 'PUT', list: notes, one: notes, header: 'token' };

describe.each([GITHUB, GITLAB])('comment.mjs on $forge', ({ env, update, list, one, header }) => {
  it('comment.mjs writes one comment, updates it, and writes nothing when the text is the same', async () => {
    comments.push({ id: 1, body: 'Nice!', ...PERSON });
    expect(await commented(`${MARK}\none`, env())).toMatchObject({ code: 0 });
    expect(await commented(`${MARK}\none\n`, env())).toMatchObject({ code: 0 });
    expect(await commented(`${MARK}\ntwo`, env())).toMatchObject({ code: 0 });
    expect(comments.map(({ body }) => body)).toEqual(['Nice!', `${MARK}\ntwo`]);
    expect(writes()).toEqual([`POST ${list}`, `${update} ${one}/2`]);
    expect(new Set(tokens)).toEqual(new Set([header]));
  });

  it('comment.mjs finds its comment behind a hundred others', async () => {
    for (let id = 1; id <= 150; id += 1) comments.push({ id, body: 'x', ...PERSON });
    comments.push({ id: 151, body: `${MARK}\none`, ...BOT });
    await commented(`${MARK}\ntwo`, env());
    expect(writes()).toEqual([`${update} ${one}/151`]);
  });

  it('comment.mjs does not update the comment of a person who wrote the mark', async () => {
    comments.push({ id: 1, body: `${MARK}\nAll is well.`, ...PERSON });
    await commented(`${MARK}\none`, env());
    expect(comments.map(({ body }) => body)).toEqual([`${MARK}\nAll is well.`, `${MARK}\none`]);
  });

  it('comment.mjs prints the text when the token may only read, and does not fail', async () => {
    refusal = 403;
    const { code, printed } = await commented(`${MARK}\none`, env());
    expect(code).toBe(0);
    expect(printed).toContain(`Cannot write the comment: POST ${list}: 403`);
    expect(printed).toContain(`${MARK}\none`);
    expect(printed).not.toContain('token');
  });

  it('comment.mjs fails when the server fails', async () => {
    refusal = 500;
    expect(await commented(`${MARK}\none`, env())).toMatchObject({ code: 1 });
  });

  it('comment.mjs refuses a file without the mark, and names a missing variable', async () => {
    expect(await commented('one', env())).toMatchObject({
      code: 1,
      printed: expect.stringContaining('no mark') as string,
    });
    const [name = '', ...rest] = Object.keys(env()).toReversed();
    const some = Object.fromEntries(rest.map((each) => [each, env()[each] ?? '']));
    const { code, printed } = await commented(`${MARK}\none`, some);
    expect([code, printed]).toEqual([1, expect.stringContaining(`${name} is not set: `)]);
  });
});

const npxThat = async (text: string, code: number): Promise<void> => {
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/npx'), fakeNpx(text, code));
  await chmod(join(folder, 'bin/npx'), 0o755);
};

interface ActionStep {
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the steps of the action, as a runner of GitHub does. */
const runAction = async (inputs: Readonly<Record<string, string>>): Promise<Ended> => {
  const { runs } = parse(await readFile(join(action, 'action.yml'), 'utf8')) as {
    runs: { steps: readonly ActionStep[] };
  };
  const values: Record<string, string> = { 'github.event.pull_request.number': '12', 'inputs.token': 'token' };
  for (const [name, value] of Object.entries(inputs)) values[`inputs.${name}`] = value;
  const shared: Record<string, string> = { ...onGitHub(), RUNNER_TEMP: folder, GITHUB_ACTION_PATH: action };
  shared['GITHUB_ENV'] = join(folder, 'github-env');
  let last: Ended = { code: 0, printed: '' };
  for (const { run, env } of runs.steps) {
    // A value in a script is code; a value in a variable is not.
    expect(run).not.toContain('${{');
    const own = Object.entries(env).map(([name, value]) => [
      name,
      values[/\$\{\{ (\S+) \}\}/.exec(value)?.[1] ?? ''] ?? '',
    ]);
    const exported = (await readFile(shared['GITHUB_ENV'], 'utf8').catch(() => '')).split('\n').filter(Boolean);
    const set = Object.fromEntries(exported.map((line) => line.split('=')));
    last = await runProgram(['bash', '-e', '-o', 'pipefail', '-c', run], {
      ...shared,
      ...set,
      ...Object.fromEntries(own),
    });
    if (last.code !== 0) return last;
  }
  return last;
};

/** Runs the script of the template, as a runner of GitLab does, without `npm ci`. */
const runTemplate = async (variables: Readonly<Record<string, string>>): Promise<Ended> => {
  const { plan } = parse(await readFile(join(repository, 'templates/ci/gitlab.yml'), 'utf8')) as {
    plan: { script: readonly string[]; variables: Readonly<Record<string, string>> };
  };
  const packages = join(folder, 'node_modules/cdk8s-reconcile/templates/ci');
  await mkdir(packages, { recursive: true });
  await writeFile(join(packages, 'comment.mjs'), await readFile(script));
  const [install, ...rest] = plan.script;
  expect(install).toBe('npm ci');
  const env = { ...onGitLab(), ...plan.variables, ...variables };
  return runProgram(['bash', '-e', '-o', 'pipefail', '-c', rest.join('\n')], env);
};

const called = async (): Promise<string> => readFile(join(folder, 'called'), 'utf8');

describe.each([
  [
    'the action',
    async (filename: string, against: string) => runAction({ filename, against, config: 'reconcile.config.ts' }),
  ],
  [
    'the GitLab template',
    async (filename: string, against: string) =>
      runTemplate({ RECONCILE_FILENAME: filename, RECONCILE_AGAINST: against }),
  ],
] as const)('%s', (_, run) => {
  it('plans all files, and writes the comment', async () => {
    await npxThat(`${MARK}\nPlan`, 2);
    expect(await run('a.yaml b', 'dump')).toMatchObject({ code: 0 });
    const words =
      '--no-install|cdk8s-reconcile|plan|--config|reconcile.config.ts|-f|a.yaml|b|-o|markdown|--against|dump|';
    expect(await called()).toBe(words);
    expect(comments).toMatchObject([{ body: `${MARK}\nPlan` }]);
  });

  it('reads the cluster without a dump, and takes no part of a file name as code', async () => {
    await npxThat(`${MARK}\nPlan`, 0);
    expect(await run('$(touch${IFS}broken) `touch broken`', '')).toMatchObject({ code: 0 });
    expect(await called()).toContain('|-f|$(touch${IFS}broken)|`touch|broken`|-o|markdown|');
    await expect(readFile(join(folder, 'broken'))).rejects.toThrow('ENOENT');
  });

  it('fails after the comment when the change would be refused', async () => {
    await npxThat(`${MARK}\nRefused`, 1);
    expect((await run('a.yaml', '')).code).toBe(1);
    expect(comments).toMatchObject([{ body: `${MARK}\nRefused` }]);
  });

  it('fails without a comment when plan fails', async () => {
    await npxThat('', 1);
    expect((await run('a.yaml', '')).code).toBe(1);
    expect(comments).toEqual([]);
  });
});
