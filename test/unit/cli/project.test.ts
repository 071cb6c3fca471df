import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withKind } from '#lib/cli/scaffold/kind-list.ts';
import { cannotWrite } from '#lib/cli/shell/write-file.ts';
import { addKind } from '#lib/cli/verbs/add/run.ts';
import { initProject } from '#lib/cli/verbs/init/run.ts';
import { ConfigurationError } from '#lib/errors.ts';

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

const said = async (folder: string): Promise<string> => {
  const error: unknown = await initProject({ folder, kind: 'Web', group: 'a.acme.io' }).catch((reason) => reason);
  expect(error).toBeInstanceOf(ConfigurationError);
  return (error as ConfigurationError).message;
};

describe('a folder that takes nothing', () => {
  // On Linux, the folder `/proc` exists, and returns ENOENT for new entries.
  it.runIf(existsSync('/proc/self'))('initProject() says so of a folder that takes no others, and ends', async () => {
    expect(await said('/proc/x')).toBe('Cannot write /proc/x: no file can be created there; name another folder');
    expect(await said('/proc/x/deep/y')).toBe(
      'Cannot write /proc/x: no file can be created there; name another folder',
    );
  });

  it('initProject() says so of a link to nothing, and ends', async () => {
    await symlink(join(scratch, 'nothing'), join(scratch, 'dangling'));
    expect(await said(join(scratch, 'dangling/deep'))).toMatch(/dangling\/deep: no file can be created there; name/);
  });

  it('initProject() says in plain words that a folder may not be read', async () => {
    const link = join(scratch, 'round');
    await symlink(link, link);
    expect(await said(link)).toBe(`Cannot read ${link}: its symbolic links go round in a circle; name another`);
  });
});

describe('cannotWrite()', () => {
  it.each([
    ['EPERM', 'this user may not write it; change its rights, or name another folder'],
    ['EROFS', 'the file system is read-only; name another folder'],
    ['ENOSPC', 'there is no room left on the disk; make some, or name another folder'],
    ['EIO', 'EIO: input; name another folder'],
  ])('cannotWrite() says what %s means, and the way out', (code, words) => {
    const error = cannotWrite('/a', Object.assign(new Error(`${code}: input`), { code, syscall: 'mkdir' }), 'folder');
    expect(error.message).toBe(`Cannot write /a: ${words}`);
  });
});

describe('addKind()', () => {
  it('adds a kind of the group of the project, its test, and its line in the list', async () => {
    const folder = await init('two');
    const before = await contents(folder);
    const made = await addKind({ folder, kind: 'CronTask' });
    expect(made).toEqual({
      folder,
      files: ['kinds/cron-task.test.ts', 'kinds/cron-task.ts', 'kinds/index.ts', 'main.ts'],
    });
    const { [join(folder, 'kinds/index.ts')]: list, ...after } = await contents(folder);
    const others = Object.entries(before).filter(([path]) => !/(?:index|main)\.ts$/.test(path));
    expect(after).toMatchObject(Object.fromEntries(others));
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
    await expect(addKind({ folder, kind: 'New' })).rejects.toThrow(/Unknown group.*pass --group/);
    await writeFile(join(folder, 'package.json'), '{');
    await expect(addKind({ folder, kind: 'New' })).rejects.toThrow(/package\.json: it is no JSON/);
  });
});

const block = (kind: string, constant: string, file: string): string =>
  `class ${kind} extends CustomResource(${constant}) {}\n\nnew ${kind}(samples, '${file}', {\n  metadata: { name: 'example' },\n  spec: { text: 'Hello' },\n});\n\n`;

describe('the sample of a kind', () => {
  it('addKind() puts a sample behind those of main.ts, which stay as they are', async () => {
    const folder = await init('sampled');
    const before = await readFile(join(folder, 'main.ts'), 'utf8');
    await addKind({ folder, kind: 'CronTask' });
    await addKind({ folder, kind: 'Other' });
    const expected = before
      .replace(
        "import { web } from './kinds/web.ts';\n",
        "$&import { cronTask } from './kinds/cron-task.ts';\nimport { other } from './kinds/other.ts';\n",
      )
      .replace(
        'app.synth();',
        `${block('CronTask', 'cronTask', 'cron-task')}${block('Other', 'other', 'other')}app.synth();`,
      );
    expect(await readFile(join(folder, 'main.ts'), 'utf8')).toBe(expected);
  });

  it.each([
    ['no chart of samples', (text: string) => text.replace('const samples = new Chart(', 'const shown = new Chart(')],
    ['the class already', (text: string) => text.replace('class Web ', 'class CronTask {}\nclass Web ')],
    ['another end', (text: string) => text.replace('app.synth();', 'await synthesize();')],
    ['nothing in it', () => ''],
  ])('addKind() leaves main.ts as it is, and returns the sample, when that has %s', async (reason, edited) => {
    const folder = await init(`by-hand-${reason.replaceAll(' ', '-')}`);
    const main = join(folder, 'main.ts');
    const text = edited(await readFile(main, 'utf8'));
    await writeFile(main, text);
    const { files, byHand } = await addKind({ folder, kind: 'CronTask' });
    expect(files).toEqual(['kinds/cron-task.test.ts', 'kinds/cron-task.ts', 'kinds/index.ts']);
    expect(await readFile(main, 'utf8')).toBe(text);
    expect(byHand).toMatch(
      /^import \{ cronTask \} from '\.\/kinds\/cron-task\.ts';\n\nclass CronTask extends CustomResource\(cronTask\) \{\}\n\nnew CronTask\(samples, [^]*\}\);\n$/,
    );
  });
});

describe('the scope of a kind', () => {
  it.each(['Namespaced', 'Cluster'] as const)(
    'a kind says its scope, and the child its namespace: %s',
    async (scope) => {
      const folder = await init(`scope-${scope.toLowerCase()}`, { scope });
      await addKind({ folder, kind: 'Other', scope });
      for (const file of ['web', 'other']) {
        const text = await readFile(join(folder, `kinds/${file}.ts`), 'utf8');
        expect(text).toContain(`  scope: '${scope}',\n`);
        expect(text).toContain(`metadata: { name${scope === 'Cluster' ? ", namespace: 'default'" : ''} }`);
      }
    },
  );
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
