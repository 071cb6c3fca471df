import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { BOT, Forge, OTHER_BOT, PERSON } from './pipeline/forge.ts';
import { type EndedProgram, runProgram } from './pipeline/run-program.ts';

const MARK = '<!-- cdk8s-reconcile plan -->';

const script = join(repository, 'templates/ci/comment.mjs');

let folder = '';
let forge: Forge;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'comment-'));
  forge = await Forge.start();
});

afterEach(async () => {
  forge.stop();
  await rm(folder, { recursive: true });
});

const onGitHub = (): Readonly<Record<string, string>> => ({
  ...forge.gitHub,
  GITHUB_TOKEN: 'token',
  PULL_REQUEST: '12',
});

const onGitLab = (): Readonly<Record<string, string>> => forge.gitLab;

const commented = async (text: string, env: Readonly<Record<string, string>>): Promise<EndedProgram> => {
  await writeFile(join(folder, 'plan.md'), text);
  return runProgram([process.execPath, script, 'plan.md'], { folder, env });
};

const GITHUB = {
  name: 'GitHub',
  env: onGitHub,
  update: 'PATCH',
  list: '/repos/acme/shop/issues/12/comments',
  one: '/repos/acme/shop/issues/comments',
  header: 'Bearer token',
};

const notes = '/projects/5/merge_requests/12/notes';
const GITLAB = { name: 'GitLab', env: onGitLab, update: 'PUT', list: notes, one: notes, header: 'token' };

describe.each([GITHUB, GITLAB])('comment.mjs on $name', ({ env, update, list, one, header }) => {
  it('comment.mjs writes one comment, updates it, and writes nothing when the text is the same', async () => {
    forge.comments.push({ id: 1, body: 'Nice!', ...PERSON });
    expect(await commented(`${MARK}\none`, env())).toMatchObject({ code: 0 });
    expect(await commented(`${MARK}\none\n`, env())).toMatchObject({ code: 0 });
    expect(await commented(`${MARK}\ntwo`, env())).toMatchObject({ code: 0 });
    expect(forge.comments.map(({ body }) => body)).toEqual(['Nice!', `${MARK}\ntwo`]);
    expect(forge.writes).toEqual([`POST ${list}`, `${update} ${one}/2`]);
    expect(new Set(forge.tokens)).toEqual(new Set([header]));
  });

  it('comment.mjs finds its comment behind a hundred others', async () => {
    for (let id = 1; id <= 150; id += 1) forge.comments.push({ id, body: 'x', ...PERSON });
    forge.comments.push({ id: 151, body: `${MARK}\none`, ...BOT });
    await commented(`${MARK}\ntwo`, env());
    expect(forge.writes).toEqual([`${update} ${one}/151`]);
  });

  it.for([
    ['a person', PERSON],
    ['another bot', OTHER_BOT],
  ] as const)('comment.mjs does not update the comment of %s with the mark', async ([, account]) => {
    forge.comments.push({ id: 1, body: `${MARK}\nAll is well.`, ...account });
    await commented(`${MARK}\none`, env());
    expect(forge.comments.map(({ body }) => body)).toEqual([`${MARK}\nAll is well.`, `${MARK}\none`]);
  });

  it('comment.mjs updates its comment when the token is that of a person', async () => {
    forge.account = PERSON;
    await commented(`${MARK}\none`, env());
    await commented(`${MARK}\ntwo`, env());
    expect(forge.writes).toEqual([`POST ${list}`, `${update} ${one}/1`]);
  });

  it('comment.mjs writes a comment for each name, and shows the name', async () => {
    const staging = { ...env(), RECONCILE_NAME: 'staging' };
    await commented(`${MARK}\none`, staging);
    await commented(`${MARK}\ntwo`, env());
    await commented(`${MARK}\nthree`, staging);
    expect(forge.comments.map(({ body }) => body)).toEqual([
      '<!-- cdk8s-reconcile plan: staging -->\n`staging`\n\nthree',
      `${MARK}\ntwo`,
    ]);
    const { code, printed } = await commented(`${MARK}\none`, { ...env(), RECONCILE_NAME: 'a --> @b' });
    expect([code, printed]).toEqual([1, expect.stringContaining('may have only letters') as string]);
  });

  it('comment.mjs writes another comment when the token may not update the first', async () => {
    await commented(`${MARK}\none`, env());
    forge.refusal = (method) => (method === update ? 403 : undefined);
    const { code, printed } = await commented(`${MARK}\ntwo`, env());
    expect([code, printed]).toEqual([0, expect.stringContaining('The comment is written') as string]);
    expect(forge.comments.map(({ body }) => body)).toEqual([`${MARK}\none`, `${MARK}\ntwo`]);
  });

  it('comment.mjs prints the text when the token may only read, and does not fail', async () => {
    forge.refusal = () => 403;
    const { code, printed } = await commented(`${MARK}\none`, env());
    expect(code).toBe(0);
    expect(printed).toContain(`Cannot write the comment: POST ${list}: 403`);
    expect(printed).toContain(`${MARK}\none`);
    expect(printed).not.toContain('token');
  });

  it.for([
    ['the server fails', 500, 'no'],
    ['the token is invalid', 401, 'Bad credentials'],
    ['the API limits its rate', 403, 'You have exceeded a secondary rate limit'],
  ] as const)('comment.mjs fails when %s', async ([, code, text]) => {
    forge.refusal = () => code;
    forge.refusalText = text;
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
