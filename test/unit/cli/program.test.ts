import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '#lib/cli/program.ts';
import { wantsColor } from '#lib/cli/shell/context.ts';
import { repository } from '#test/architecture/repository.ts';
import { ran, recordingContext } from './run-cli.ts';

const main = join(repository, 'lib/cli/main.ts');

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'program-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const all = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(all)];

/** Lines that could be shorter, unlike lines of one long word. */
const longLines = (text: string, columns: number): readonly string[] =>
  text.split('\n').filter((line) => line.length > columns && line.replace(/^ *#? *| \\$/g, '').includes(' '));

describe('runCli()', () => {
  it('shows the help when nothing is asked, and the version', async () => {
    const help = await ran('');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Usage: cdk8s-reconcile <command> [options]');
    expect(await ran('--help')).toEqual(help);
    const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { version: string };
    for (const option of ['-v', '--version'])
      expect(await ran(option)).toEqual({ stdout: `${version}\n`, stderr: '', code: 0 });
  });

  it('has one folder per verb, and docs/cli.md lists every verb', async () => {
    const { commands } = createProgram(recordingContext().context, '0.0.0');
    const verbs = commands.map((command) => command.name()).filter((name) => name !== '__complete');
    expect(await readdir(join(repository, 'lib/cli/verbs'))).toEqual(verbs.toSorted());
    const page = await readFile(join(repository, 'docs/cli.md'), 'utf8');
    const listed = [...(page.split('\n##')[0] ?? '').matchAll(/^\| `([a-z]+)/gm)].map(([, verb]) => verb);
    expect(new Set(listed)).toEqual(new Set(verbs));
  });

  it('makes projects and kinds, and names their files', async () => {
    const made = await ran('init one --kind Web --group a.acme.io', { cwd: scratch });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(
      /^Made in one:\n {2}\.dockerignore\n[^]*\n(?:The project installs this package from .*\n.*\n\n)?Next: cd one && npm install && npm test && npm run dev\n$/,
    );
    const added = await ran('add kind CronTask', { cwd: join(scratch, 'one') });
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toContain('  kinds/cron-task.ts\n');
    expect(await readdir(join(scratch, 'one/kinds'))).toContain('cron-task.ts');
    expect(added.stdout).toMatch(
      /\n {2}main\.ts\n\nNext: npm test, which also writes the samples .* npm run dev applies them\n$/,
    );
    await writeFile(join(scratch, 'one/main.ts'), '');
    const bare = await ran('add kind Tenant --scope Cluster', { cwd: join(scratch, 'one') });
    expect(bare.stdout).toMatch(/\nmain\.ts stays as it is: .*\n\nimport \{ tenant \}[^]*\}\);\n\nNext: npm test/);
    const image = await ran('image', { cwd: join(scratch, 'one') });
    expect(image).toMatchObject({ code: 1, stdout: '' });
    expect(image.stderr).toMatch(/^cdk8s-reconcile: Cannot build an image in .*npm run bundle\n$/);
  });

  it.for([
    ['int', "unknown command 'int'\n(Did you mean init?)\nSee cdk8s-reconcile --help\n"],
    ['add pod', "unknown command 'pod'\nSee cdk8s-reconcile add --help\n"],
    ['tree', "missing required argument '<kind>/<name>'\nSee cdk8s-reconcile tree --help\n"],
    ['add kind', "missing required argument 'Kind'\nSee cdk8s-reconcile add kind --help\n"],
    [
      'init a b',
      "too many arguments for 'init'. Expected 1 argument but got 2: a, b.\nSee cdk8s-reconcile init --help\n",
    ],
    [
      'simulate web.yaml -o svg',
      "option '-o, --output <format>' argument 'svg' is invalid. Allowed choices are text, json, yaml, table. A picture is drawn by --picture <file.svg>.\nSee cdk8s-reconcile simulate --help\n",
    ],
    [
      'tree a/b -o svg',
      "option '-o, --output <format>' argument 'svg' is invalid. Allowed choices are text, json, yaml, table.\nSee cdk8s-reconcile tree --help\n",
    ],
    ['init --knd A', "unknown option '--knd'\n(Did you mean --kind?)\nSee cdk8s-reconcile init --help\n"],
  ])('refuses "%s" with a suggestion and 64', async ([line = '', message = '']) => {
    expect(await ran(line)).toEqual({ stdout: '', stderr: `cdk8s-reconcile: ${message}`, code: 64 });
  });

  it('shows what there is when the second word is missing', async () => {
    const { code, stdout, stderr } = await ran('add');
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain('kind [options] <Kind>');
  });
});

describe('createProgram()', () => {
  const { context } = recordingContext();

  it.for([40, 80])(
    'every command says what it is and shows an example, and its help fits %d columns',
    async (columns) => {
      const commands = all(createProgram(context, '0')).filter((command) => !command.name().startsWith('__'));
      expect(commands.length).toBeGreaterThan(20);
      for (const command of commands) {
        const words = [];
        for (let at: Command | null = command; at?.parent; at = at.parent) words.unshift(at.name());
        const { stdout, code } = await ran(`${words.join(' ')} --help`, { columns });
        expect(code).toBe(0);
        expect(longLines(stdout, columns)).toEqual([]);
        expect(command.description()).toMatch(/.{10}/);
        expect(command.options.filter(({ description }) => description === '')).toEqual([]);
        if (command.commands.length > 0) continue;
        expect(stdout).toMatch(/\nExamples:\n {2}# .+\n(?: {2}[^$].*\n)* {2}cdk8s-reconcile /);
      }
    },
  );

  it('results fit a terminal of 40 columns', async () => {
    const lines = [
      'crd diff --from test/manifests',
      'plan -f test/manifests/podset.yaml --against test/manifests/appservice.yaml',
      'simulate test/manifests/podset.yaml',
      'check PodSet test/manifests/podset.yaml --states 1 --schedules 1',
    ];
    for (const line of lines) {
      const { stdout, code } = await ran(line, { columns: 40, isTerminal: true, env: { NO_COLOR: '1' } });
      expect([0, 2]).toContain(code);
      expect(stdout.length).toBeGreaterThan(40);
      expect(longLines(stdout, 40)).toEqual([]);
    }
  });

  it('speaks of kubectl reconcile when kubectl called it', async () => {
    const { stdout } = await ran('init --help', { program: 'kubectl reconcile' });
    expect(stdout).toContain('Usage: kubectl reconcile init');
    expect(stdout).toContain('  kubectl reconcile init my-operator');
  });
});

describe('the process', () => {
  const run = promisify(execFile);

  it('is a plugin of kubectl under another name', async () => {
    const plugin = join(scratch, 'kubectl-reconcile');
    await symlink(main, plugin);
    const { stdout } = await run(process.execPath, [plugin, '--help']);
    expect(stdout).toContain('Usage: kubectl reconcile <command>');
  });

  it('ends quietly when its output is closed', async () => {
    const child = spawn(process.execPath, [main, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('ends with 64 when it does not understand', async () => {
    await expect(run(process.execPath, [main, 'nothing'])).rejects.toMatchObject({ code: 64, stdout: '' });
  });
});

describe('wantsColor()', () => {
  it('obeys NO_COLOR, then FORCE_COLOR, then the terminal', () => {
    expect(wantsColor({}, true)).toBe(true);
    expect(wantsColor({}, false)).toBe(false);
    expect(wantsColor({ TERM: 'dumb' }, true)).toBe(false);
    expect(wantsColor({ NO_COLOR: '1', FORCE_COLOR: '1' }, true)).toBe(false);
    expect(wantsColor({ NO_COLOR: '' }, true)).toBe(true);
    expect(wantsColor({ FORCE_COLOR: '1' }, false)).toBe(true);
    expect(wantsColor({ FORCE_COLOR: '0' }, true)).toBe(false);
  });
});
