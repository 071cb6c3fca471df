import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { BOT, Forge, PERSON } from './pipeline/forge.ts';
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

  it('comment.mjs does not update the comment of a person who wrote the mark', async () => {
    forge.comments.push({ id: 1, body: `${MARK}\nAll is well.`, ...PERSON });
    await commented(`${MARK}\none`, env());
    expect(forge.comments.map(({ body }) => body)).toEqual([`${MARK}\nAll is well.`, `${MARK}\none`]);
  });

  it('comment.mjs prints the text when the token may only read, and does not fail', async () => {
    forge.refusal = 403;
    const { code, printed } = await commented(`${MARK}\none`, env());
    expect(code).toBe(0);
    expect(printed).toContain(`Cannot write the comment: POST ${list}: 403`);
    expect(printed).toContain(`${MARK}\none`);
    expect(printed).not.toContain('token');
  });

  it('comment.mjs fails when the server fails', async () => {
    forge.refusal = 500;
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
