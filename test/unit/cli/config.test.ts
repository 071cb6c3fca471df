import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import { checkedConfig, findConfig, loadKinds } from '#lib/cli/project/config.ts';
import { repository } from '#test/architecture/repository.ts';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'config-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const folderWith = async (name: string, text: string): Promise<string> => {
  const folder = join(scratch, name);
  await mkdir(folder);
  await writeFile(join(folder, 'reconcile.config.ts'), text);
  return folder;
};

const KIND = "{ group: 'a.acme.io', version: 'v1', kind: 'Web', owns: [], desired: () => ({}) }";

describe('loadKinds()', () => {
  it('loads the kinds of this repository from any folder of it', async () => {
    const { kinds: loaded, path } = await loadKinds({ cwd: join(repository, 'lib/cli') });
    expect(path).toBe(join(repository, 'reconcile.config.ts'));
    expect(loaded.map(({ kind }) => kind)).toEqual(kinds.map(({ kind }) => kind));
  });

  it('runs TypeScript', async () => {
    const cwd = await folderWith('typed', `const kind: object = ${KIND};\nexport default { kinds: [kind] };\n`);
    const { kinds: loaded } = await loadKinds({ cwd });
    expect(loaded).toMatchObject([{ kind: 'Web' }]);
    const named = await loadKinds({ cwd: '/' }, { config: join(cwd, 'reconcile.config.ts') });
    expect(named.kinds).toMatchObject([{ kind: 'Web' }]);
  });

  it('gives kinds the settings of the environment, as the operator does', async () => {
    const cwd = await folderWith(
      'told',
      "export default { kinds: [{ group: 'a.acme.io', version: 'v1', kind: 'Web', owns: [], operatorSettings: ['prometheusUrl'], desired: (seen) => seen.settings }] };",
    );
    const { kinds: loaded } = await loadKinds({ cwd, env: { PROMETHEUS_URL: 'http://p:9090' } });
    expect(loaded[0]?.desired({} as never)).toEqual({ prometheusUrl: 'http://p:9090' });
  });

  it('says what a broken file is broken by', async () => {
    const syntax = await folderWith('syntax', 'export default {');
    await expect(loadKinds({ cwd: syntax })).rejects.toThrow(/^Cannot load .*reconcile\.config\.ts: .+; correct it$/);
    const throwing = await folderWith('throwing', "throw new Error('no such luck');");
    await expect(loadKinds({ cwd: throwing })).rejects.toThrow(/no such luck.*; correct it$/);
    const nothing = await folderWith('nothing', `export const kinds = [${KIND}];`);
    await expect(loadKinds({ cwd: nothing })).rejects.toThrow(
      /its default export is missing; write import .* export default/,
    );
  });
});

describe('findConfig()', () => {
  it('says where it looked', async () => {
    await expect(findConfig({ cwd: '/' })).rejects.toThrow(
      /there is no reconcile\.config\.ts in \/ or above it; write one \(.*\), or name one: --config <file>/,
    );
    await expect(findConfig({ cwd: '/a' }, 'b.ts')).rejects.toThrow(
      'there is no /a/b.ts; name another file by --config',
    );
  });

  it('findConfig() shows a file that works as it is in a project with its kinds in the folder of init', async () => {
    const message = await findConfig({ cwd: '/' }).catch(String);
    const cwd = await folderWith('shown', /write one \((.*)\), or/.exec(message)?.[1] ?? '');
    await mkdir(join(cwd, 'kinds'));
    await writeFile(join(cwd, 'kinds/my-kind.ts'), `export const myKind: object = ${KIND};\n`);
    expect((await loadKinds({ cwd })).kinds).toMatchObject([{ kind: 'Web' }]);
  });
});

describe('checkedConfig()', () => {
  const web = { group: 'a.acme.io', version: 'v1', kind: 'Web', owns: [], desired: () => ({}) };

  it.for([
    ['a list', [], 'its default export is a list; write'],
    ['no kinds', {}, 'kinds is missing, not a list'],
    ['kinds by name', { kinds: { web } }, 'kinds is a object, not a list'],
    ['no kind', { kinds: [] }, 'kinds is empty; name at least one kind'],
    ['a missing import', { kinds: [web, undefined] }, 'kinds[1] is missing; it must be a result of defineKind()'],
    ['no group', { kinds: [{ ...web, group: 1 }] }, 'kinds[0].group is a number'],
    ['no function', { kinds: [{ ...web, desired: undefined }] }, 'kinds[0].desired is missing'],
    ['no list of children', { kinds: [{ ...web, owns: undefined }] }, 'kinds[0]: owns must be a list of handles'],
    ['a kind twice', { kinds: [web, web] }, 'kinds holds Web.a.acme.io twice; leave one'],
  ] as const)('refuses %s', ([, exported, message]) => {
    expect(() => checkedConfig('f.ts', exported)).toThrow(message);
  });
});
