import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addKind } from '#lib/cli/scaffold/add-kind.ts';
import { initProject } from '#lib/cli/scaffold/init.ts';
import { withKind } from '#lib/cli/scaffold/kind-list.ts';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'scaffold-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const init = async (name: string, more: object = {}): Promise<string> => {
  const { folder } = await initProject({ folder: join(scratch, name), kind: 'Web', group: 'a.acme.io', ...more });
  return folder;
};

const contents = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const));
  return Object.fromEntries(texts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

describe('initProject()', () => {
  it('writes a project in which no word of the templates is left', async () => {
    const made = await initProject({ folder: join(scratch, 'one'), kind: 'HTTPRoute', group: 'a.acme.io' });
    expect(made.files).toEqual(
      [
        '.dockerignore .gitignore .npmrc Dockerfile README.md cdk8s.yaml kinds/http-route.test.ts kinds/http-route.ts',
        'kinds/index.ts main.ts operator.ts package.json reconcile.config.ts tsconfig.json',
      ].flatMap((line) => line.split(' ')),
    );
    const files = await contents(made.folder);
    expect(Object.keys(files)).toEqual(made.files.map((file) => join(made.folder, file)));
    expect(Object.values(files).join('\n')).not.toMatch(/__\w+__|undefined/);
    expect(files[join(made.folder, 'package.json')]).toContain('"name": "one"');
    expect(files[join(made.folder, 'kinds/http-route.ts')]).toContain("kind: 'HTTPRoute'");
  });

  it('takes a folder that is a new repository', async () => {
    await mkdir(join(scratch, 'repository/.git'), { recursive: true });
    await expect(init('repository')).resolves.toContain('repository');
  });

  it('refuses what is not empty and what cannot be named, and writes nothing then', async () => {
    const folder = join(scratch, 'full');
    await mkdir(folder);
    await writeFile(join(folder, 'package.json'), 'mine');
    await expect(init('full')).rejects.toThrow(/full: it is not empty \(package.json\); name a new folder/);
    expect(await contents(folder)).toEqual({ [join(folder, 'package.json')]: 'mine' });
    await expect(init('full/package.json')).rejects.toThrow(/it is a file|Cannot name a project/);
    await expect(init('Upper')).rejects.toThrow(/Cannot name a project "Upper".*pass --name/);
    await expect(init('bad', { kind: 'web' })).rejects.toThrow(/Cannot name a kind "web"/);
    await expect(init('bad', { group: 'web' })).rejects.toThrow(/Cannot use the group "web"/);
    expect(await readdir(scratch)).not.toContain('bad');
    await expect(init('Upper', { name: 'lower' })).resolves.toContain('Upper');
  });
});

describe('addKind()', () => {
  it('adds a kind of the group of the project, its test, and its line in the list', async () => {
    const folder = await init('two');
    const before = await contents(folder);
    const made = await addKind({ folder, kind: 'CronTask' });
    expect(made.files).toEqual(['kinds/cron-task.test.ts', 'kinds/cron-task.ts', 'kinds/index.ts']);
    const { [join(folder, 'kinds/index.ts')]: list, ...after } = await contents(folder);
    expect(after).toMatchObject(
      Object.fromEntries(Object.entries(before).filter(([path]) => !path.endsWith('index.ts'))),
    );
    expect(after[join(folder, 'kinds/cron-task.ts')]).toContain("group: 'a.acme.io'");
    expect(list).toBe(`import { web } from './web.ts';
import { cronTask } from './cron-task.ts';

/** The kinds of the operator: for its process and for its install bundle. \`cdk8s-reconcile add kind\` adds a line here. */
export const kinds = [
  web,
  cronTask,
];
`);
    await addKind({ folder, kind: 'Other', group: 'b.acme.io' });
    expect((await contents(folder))[join(folder, 'kinds/other.ts')]).toContain("group: 'b.acme.io'");
  });

  it('refuses a kind that exists, a bad name, and what is no project; nothing is written then', async () => {
    const folder = await init('three');
    const before = await contents(folder);
    await expect(addKind({ folder, kind: 'Web' })).rejects.toThrow(
      /kinds\/web\.(?:test\.)?ts: it exists; .*another name/,
    );
    await expect(addKind({ folder, kind: 'web' })).rejects.toThrow(/Cannot name a kind "web"/);
    await expect(addKind({ folder, kind: 'New', group: 'new' })).rejects.toThrow(/Cannot use the group "new"/);
    expect(await contents(folder)).toEqual(before);
    await expect(addKind({ folder: scratch, kind: 'New' })).rejects.toThrow(
      /there is no package\.json; go to a project/,
    );
    await rm(join(folder, 'kinds/index.ts'));
    await expect(addKind({ folder, kind: 'New' })).rejects.toThrow(/there is no kinds\/index\.ts; go to a project/);
  });

  it('asks for the group when the project does not say it', async () => {
    const folder = await init('four');
    await writeFile(join(folder, 'package.json'), '{}');
    await expect(addKind({ folder, kind: 'New' })).rejects.toThrow(/Cannot tell the group.*pass --group/);
    await writeFile(join(folder, 'package.json'), '{');
    await expect(addKind({ folder, kind: 'New' })).rejects.toThrow(/package\.json: it is no JSON/);
  });
});

describe('withKind()', () => {
  const names = { kind: 'New', constant: 'newKind', file: 'new' };

  it('keeps what people wrote around the list', () => {
    const text = `import { a } from './a.ts';\n\nexport const other = 1;\nexport const kinds: readonly AnyKindDefinition[] = [a];\n`;
    expect(withKind(text, names)).toBe(
      `import { a } from './a.ts';\nimport { newKind } from './new.ts';\n\nexport const other = 1;\nexport const kinds: readonly AnyKindDefinition[] = [\n  a,\n  newKind,\n];\n`,
    );
    expect(withKind('export const kinds = [];\n', names)).toBe(
      `import { newKind } from './new.ts';\nexport const kinds = [\n  newKind,\n];\n`,
    );
  });

  it('says what to write by hand when there is no list', () => {
    expect(() => withKind('export const all = [];', names)).toThrow(
      "by hand import { newKind } from './new.ts'; and newKind",
    );
  });
});
