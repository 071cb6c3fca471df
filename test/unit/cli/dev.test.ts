import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import { startEmbeddedCluster } from '#lib/embedded/embedded-cluster.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { repository } from '#test/architecture/repository.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { isAlive } from '#test/unit/support/is-alive.ts';
import { makeDevProject, SITE } from './dev-project.ts';
import { type Ran, ran } from './run-cli.ts';

const main = join(repository, 'lib/cli/main.ts');

let scratch: string;
let projects = 0;
/** A project made by `init`, as if its packages were installed. */
let folder: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'dev-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));
beforeEach(async () => {
  folder = join(scratch, `project-${++projects}`);
  await makeDevProject(folder);
});

const begun: Dev[] = [];

class Dev {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  /** Resolves after all output of the process was read. */
  readonly closed: Promise<unknown>;
  readonly #seen = new Set<number>();
  stdout = '';
  stderr = '';

  constructor(...words: readonly string[]) {
    this.child = spawn(process.execPath, [main, 'dev', ...words], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.exited = once(this.child, 'exit').then(([code]) => code as number | null);
    this.closed = once(this.child, 'close');
    begun.push(this);
  }

  get kubeconfig(): string {
    return /^export KUBECONFIG=(\S+)$/m.exec(this.stdout)?.[1] ?? '';
  }

  /** Waits for output that matches, after the output of earlier calls. */
  async says(words: RegExp): Promise<void> {
    const died = this.exited.then((code) => {
      throw new TypeError(`dev ended with ${code} before it said ${words}:\n${this.stderr}`);
    });
    died.catch(() => undefined);
    await Promise.race([died, waitFor(`${words} in ${this.stderr}`, async () => words.test(this.stderr))]);
    this.stderr = this.stderr.replace(words, '');
  }

  /** The ids of the processes that `dev` has started. */
  async operators(): Promise<readonly number[]> {
    const { stdout } = await promisify(execFile)('pgrep', ['-P', String(this.child.pid)]);
    const pids = stdout.split('\n').filter(Boolean).map(Number);
    for (const pid of pids) this.#seen.add(pid);
    return pids;
  }

  /** Sends a second Ctrl-C, which does not wait for operators that do not end. @returns the processes that `dev` has started */
  async endImpatiently(): Promise<readonly number[]> {
    const operators = await this.operators();
    for (const pid of operators) process.kill(pid, 'SIGSTOP');
    this.child.kill('SIGINT');
    await waitFor('the second Ctrl-C to count', async () => {
      this.child.kill('SIGINT');
      return this.child.exitCode !== null;
    });
    await this.closed;
    return operators;
  }

  /** Ends the processes that a failed test has left. */
  async end(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
    for (const pid of this.#seen) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
}

afterEach(async () => {
  for (const dev of begun.splice(0)) await dev.end();
});

const allGone = (pids: readonly number[]): Promise<void> =>
  waitFor(`the end of ${pids.join(', ')}`, async () => !pids.some(isAlive));

/** Saves a file in one step, as some editors do, so that no reader sees an incomplete file. */
const save = async (change: (text: string) => string): Promise<void> => {
  const path = join(folder, 'kinds/website.ts');
  await writeFile(`${path}~`, change(await readFile(path, 'utf8')));
  await rename(`${path}~`, path);
};

/** Runs another command on the cluster of `dev`. */
const command = ({ kubeconfig }: Dev, line: string): Promise<Ran> =>
  ran(line, {
    cwd: folder,
    now: () => Date.now(),
    connect: (choice) => connectTo(choice, { env: { KUBECONFIG: kubeconfig }, signal: new AbortController().signal }),
  });

const textOf = async ({ kubeconfig }: Dev, name: string): Promise<unknown> => {
  const cluster = await connectTo({ kubeconfig }, { env: {}, signal: new AbortController().signal });
  try {
    return (await cluster.api.get(ConfigMap, { namespace: 'default', name: `${name}-website` }))['data'];
  } finally {
    await cluster.close();
  }
};

describe('dev', () => {
  it('dev follows what is saved, survives what is broken, and leaves nothing behind when its reader ends', async () => {
    const dev = new Dev('-f', 'site.yaml');
    await dev.says(/The operator of Website works after/);
    expect(dev.stderr).toContain('websites.web.acme.io: new\nWebsite/example of site.yaml is applied\n');
    expect(await command(dev, 'rollout status website/example')).toMatchObject({ code: 0, stderr: '' });
    expect(await textOf(dev, 'example')).toEqual({ text: 'Hello' });

    await save((text) => text.replace('progressing(', 'progressing(('));
    await dev.says(/\nkinds\/website\.ts changed\nkinds\/website\.ts:\d+: .+\nThe old operator continues/);
    await writeFile(join(folder, 'site.yaml'), `${SITE}---\n${SITE.replace('example', 'other')}`);
    await dev.says(/\nsite\.yaml changed\nWebsite\/example of .+\nWebsite\/other of site\.yaml is applied/);
    expect(await command(dev, 'rollout status website/other')).toMatchObject({ code: 0, stderr: '' });

    await save((text) =>
      text
        .replace('progressing((', 'progressing(')
        .replace('1024', '512')
        .replace('{ text: resource.spec.text }', "{ text: resource.spec.text + '!' }"),
    );
    await dev.says(/websites\.web\.acme\.io: breaks users\n {2}! spec\.text: maxLength is 512.*\n[^]*Restarted in \d/);
    await waitFor('the new function', async () => ((await textOf(dev, 'other')) as { text: string }).text === 'Hello!');

    const operators = await dev.operators();
    expect(operators.length).toBeGreaterThan(0);
    dev.child.stdout?.destroy();
    dev.child.stderr?.destroy();
    await save((text) => `${text}\n`);
    expect(await dev.exited).toBe(0);
    await allGone(operators);
    await expect(access(dev.kubeconfig)).rejects.toThrow('ENOENT');
  });

  it('dev waits for a project that can be loaded, ends with Ctrl-C, and keeps objects in a data file', async () => {
    await save((text) => `${text}throw new Error('no luck');\n`);
    await rename(join(folder, 'site.yaml'), join(folder, 'later'));
    const first = new Dev('--data-file', 'data.json', '-f', 'site.yaml');
    await first.says(/kinds\/website\.ts:\d+: no luck\nThe next save is tried again\.\n/);
    await save((text) => text.replace(/throw.*\n/, ''));
    await first.says(/site\.yaml is not there[^]+The operator of Website works after/);
    await rename(join(folder, 'later'), join(folder, 'site.yaml'));
    await first.says(/Website\/example of site\.yaml is applied/);
    const operators = await first.operators();
    expect(operators.length).toBeGreaterThan(0);
    // Under npm one Ctrl-C sends two signals: from the terminal, and from npm.
    for (const signal of ['SIGINT', 'SIGINT'] as const) first.child.kill(signal);
    expect(await first.exited).toBe(0);
    expect(operators.some(isAlive)).toBe(false);

    const second = new Dev('--data-file', 'data.json');
    await second.says(/The operator of Website works after/);
    expect(second.stderr).not.toContain('websites.web.acme.io');
    expect(await command(second, 'rollout status website/example')).toMatchObject({ code: 0 });
    const left = await second.endImpatiently();
    expect(await second.exited).toBe(130);
    await allGone(left);
  });

  it('dev prints at the second Ctrl-C what is left in an existing cluster, and how to continue from there', async () => {
    await using theirs = await startEmbeddedCluster();
    const words = ['--cluster', 'current', '--yes', '--kubeconfig', theirs.kubeconfig, '-n', 'default'];
    const dev = new Dev(...words);
    await dev.says(/The operator of Website works after/);
    await allGone(await dev.endImpatiently());
    const left = dev.stderr.slice(dev.stderr.indexOf('Not everything could be removed; remove it:\n')).split('\n');
    expect(left.slice(1)).toEqual([
      '  kubectl delete RoleBinding cdk8s-reconcile-dev -n default',
      '  kubectl delete Role cdk8s-reconcile-dev -n default',
      '  kubectl delete ClusterRoleBinding cdk8s-reconcile-dev',
      '  kubectl delete ClusterRole cdk8s-reconcile-dev',
      '  kubectl delete Namespace cdk8s-reconcile-dev',
      '',
    ]);
    const ofDev = (name: string): boolean => name.startsWith(`cdk8s-reconcile-dev-${dev.child.pid}-`);
    expect((await readdir(tmpdir())).filter(ofDev)).toEqual([]);
    const { code, stderr } = await ran(`dev ${words.join(' ')}`, { cwd: folder });
    expect(stderr).toMatch(
      /already exists: .* clusterrolebinding\/.* kubectl delete role,rolebinding --all-namespaces -l /,
    );
    expect(code).toBe(1);
  });

  it('dev takes its operators along when it is killed, be it one that is loaded for ever', async () => {
    const dev = new Dev();
    await dev.says(/The operator of Website works after/);
    await waitFor('the next one', async () => (await dev.operators()).length === 2);
    await save((text) => `${text}for (;;);\n`);
    await dev.says(/website\.ts changed\n/);
    const operators = await dev.operators();
    dev.child.kill('SIGKILL');
    expect(await dev.exited).toBeNull();
    await allGone(operators);
  });

  it.for([
    ['--cluster current', /Cannot use https:\/\/127\.0\.0\.1:1 .* without --yes: definitions/],
    ['--cluster current --yes --port 1', /--port and --data-file work only with the embedded cluster: remove them/],
    ['--cluster current --yes=other', /the current context is "c", and --yes agrees to "other"/],
    ['--cluster other', /Allowed choices are embedded, current/],
    ['--port 70000', /Write a TCP port from 0/],
    ['--yes', /--yes is consent to change the current cluster, .*: add --cluster current, or remove --yes/],
    ['--write', /--write needs --ui: add --ui, or remove --write/],
    ['--ui-port 8080', /--ui-port needs --ui: add --ui, or remove --ui-port/],
    ['--ui --ui-port 0', /--ui-port .*Write a TCP port from 1 to 65535; without the option/],
    ['--ui --ui-port 65536', /--ui-port .*Write a TCP port from 1 to 65535/],
    ['--ui --ui-port -1', /--ui-port .*Write a TCP port from 1 to 65535/],
    ['-f nothing', /Cannot read nothing: there is no such file or folder/],
    ['-f -', /-f is "-": stdin can only be read once/],
    ['--config nothing.ts', /there is no .*nothing\.ts/],
  ] as const)('dev %s is refused', async ([line, message]) => {
    const kubeconfig = join(folder, 'kubeconfig');
    const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
    const clusters = [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }];
    const users = [{ name: 'u', user: {} }];
    await writeFile(kubeconfig, JSON.stringify({ clusters, users, contexts: [context], 'current-context': 'c' }));
    const { code, stdout, stderr } = await ran(`dev ${line}`, { cwd: folder, env: { KUBECONFIG: kubeconfig } });
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(code).not.toBe(0);
  });
});
