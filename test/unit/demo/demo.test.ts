import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import { DEV } from '#lib/cli/verbs/dev/cluster/rights.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/embedded/embedded-cluster.ts';
import { DEFINITIONS } from '#lib/kube/client/definitions.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import { waitFor } from '#test/control-plane/poll.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Node and the basic programs of a system, without Go and kubectl. */
const PATH = [join(root, 'node_modules', '.bin'), '/usr/bin', '/bin'].join(delimiter);

const demo = async (words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
  const env = { PATH, HOME: '/nonexistent', NO_COLOR: '1', ...more };
  const run = promisify(execFile)(process.execPath, ['apps/demo.ts', ...words], { cwd: root, env });
  return run.then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({ stdout, stderr, code }),
  );
};

/** A demo under way. */
const begun = (words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
  const env = { PATH, HOME: '/nonexistent', NO_COLOR: '1', ...more };
  const child = spawn(process.execPath, ['apps/demo.ts', ...words], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const written = { stdout: '', stderr: '' };
  child.stderr.on('data', (chunk: Buffer) => (written.stderr += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => (written.stdout += chunk.toString()));
  const shows = (text: string): Promise<void> =>
    waitFor(`${text} in ${written.stdout}`, async () => child.exitCode !== null || written.stdout.includes(text));
  return { child, ended, written, shows };
};

/** The processes that a demo has started. */
const operatorsOf = async ({ pid }: ChildProcess): Promise<readonly number[]> => {
  const { stdout } = await promisify(execFile)('pgrep', ['-P', String(pid)]);
  return stdout.split('\n').filter(Boolean).map(Number);
};

const cluster = (apiVersion: string, kind: string): ApiResource => ({
  apiVersion,
  kind,
  plural: `${kind.toLowerCase()}s`,
  scope: 'Cluster',
});

/** What a demo creates outside of its namespace, which is deleted in the background. */
const CREATED = [
  DEFINITIONS,
  cluster('rbac.authorization.k8s.io/v1', 'ClusterRole'),
  cluster('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'),
];

describe('npm start', () => {
  it('npm start shows the lives of three kinds on an embedded cluster, without Go, kubectl or a cache, and nothing is forbidden', async () => {
    const home = await mkdtemp(join(tmpdir(), 'demo-home-'));
    const { stdout, stderr, code } = await demo([], { HOME: home });
    await rm(home, { recursive: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/PodSet example-podset: wanted 5, exist 5, ready 5 · Ready=True PodsReady/);
    expect(stdout).toMatch(/ImmortalContainer example-immortalcontainer: Running, starts 2 · Ready=True PodReady/);
    expect(stdout).toMatch(/CanaryRollout example-rollout: Healthy, 4 pods stable, 0 canary/);
    expect(stdout).toMatch(/The operator sent \d+ requests, 0 of them forbidden/);
  });

  it.for(['its reader ends', 'its terminal is closed'])(
    'npm start tidies up and ends with 130 when %s',
    async (what) => {
      const env = { PATH, HOME: '/nonexistent', NO_COLOR: '1' };
      const child = spawn(process.execPath, ['apps/demo.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      await once(child.stdout, 'data');
      if (what === 'its reader ends') child.stdout.destroy();
      else child.kill('SIGHUP');
      const [code] = (await once(child, 'close')) as [number | null];
      expect({ code, stderr }).toEqual({
        code: 130,
        stderr: '\nInterrupted: everything that the demo started was ended.\n',
      });
    },
  );

  it('npm start ends with 1, and with how its operator ended, when another process kills that', async () => {
    const { child, ended, written, shows } = begun(['--keep']);
    await shows('wanted 5');
    const [operator = 0] = await operatorsOf(child);
    process.kill(operator, 'SIGKILL');
    expect(await ended).toBe(1);
    expect(written.stderr).toMatch(
      /^\nThe operator was ended by SIGKILL; another process sent it, or memory ran out\n$/,
    );
  });

  it('npm start -- --keep ends with 0 and without a process at Ctrl-C', async () => {
    const { child, ended, written, shows } = begun(['--keep']);
    await shows('Ctrl-C ends it.');
    const operators = await operatorsOf(child);
    child.kill('SIGINT');
    expect({ code: await ended, stderr: written.stderr, operators: operators.length }).toEqual({
      code: 0,
      stderr: '',
      operators: 1,
    });
    expect(operators.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });

  describe('on a cluster of a kubeconfig', () => {
    let theirs: EmbeddedCluster;
    let KUBECONFIG: string;
    let context: string;
    beforeEach(async () => {
      theirs = await startEmbeddedCluster();
      KUBECONFIG = theirs.kubeconfig;
      context = JSON.parse(await readFile(KUBECONFIG, 'utf8'))['current-context'];
    });
    afterEach(() => theirs.close());

    /** The remains of a demo, after its namespace was deleted. */
    const remains = async (): Promise<readonly string[]> => {
      await using endings = new AsyncDisposableStack();
      const open = await connectTo({ kubeconfig: KUBECONFIG }, { env: {}, signal: new AbortController().signal });
      const { api } = endings.adopt(open, (one) => one.close());
      const namesOf = async (resource: ApiResource): Promise<readonly string[]> =>
        (await api.list(resource)).items.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      await waitFor(
        'the end of the namespace',
        async () => !(await namesOf(cluster('v1', 'Namespace'))).includes(`Namespace ${DEV}`),
      );
      return (await Promise.all(CREATED.map(namesOf))).flat();
    };

    it('npm start removes all that it has created', async () => {
      const before = await remains();
      const { stdout, stderr, code } = await demo(['--cluster', 'current', `--yes=${context}`], { KUBECONFIG });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`This changes ${theirs.url} (kubeconfig ${KUBECONFIG} (context "${context}"))\n`);
      expect(stdout).toMatch(/kubectl -n cdk8s-reconcile-dev delete pod example-immortalcontainer-immortalpod/);
      expect(stdout).toMatch(/CanaryRollout example-rollout: Healthy, 4 pods stable, 0 canary/);
      expect(await remains()).toEqual(before);
    });

    it.for(['RBAC, which are installed …', 'ServiceAccount token …', 'wanted 5'])(
      'npm start removes what it has created at Ctrl-C after "%s"',
      async (moment) => {
        const before = await remains();
        const { child, ended, written, shows } = begun(['--cluster', 'current', `--yes=${context}`], { KUBECONFIG });
        await shows(moment);
        child.kill('SIGINT');
        expect({ code: await ended, stderr: written.stderr }).toEqual({
          code: 130,
          stderr: '\nInterrupted: everything that the demo started was ended.\n',
        });
        expect(await remains()).toEqual(before);
      },
    );
  });

  it('npm start says which clusters there are when it is given another', async () => {
    const { stderr, code } = await demo(['--cluster', 'minikube']);
    expect(stderr).toContain('Cannot run on cluster "minikube": expected embedded, node, current');
    expect(code).toBe(1);
  });

  it('npm start does not touch a current cluster other than the one that was agreed to', async () => {
    const home = await mkdtemp(join(tmpdir(), 'demo-home-'));
    const entry = { name: 'production', context: { cluster: 'c' } };
    const config = { 'current-context': 'production', contexts: [entry], clusters: [{ name: 'c', cluster: {} }] };
    await mkdir(join(home, '.kube'));
    await writeFile(join(home, '.kube', 'config'), JSON.stringify(config));
    const { stderr, code } = await demo(['--cluster', 'current', '--yes=kind'], { HOME: home });
    await rm(home, { recursive: true });
    expect(stderr).toMatch(/the current context is "production", and --yes agrees to "kind"/);
    expect(code).toBe(1);
  });

  it('npm start refuses --write without --ui', async () => {
    const { stderr, code } = await demo(['--write']);
    expect(stderr).toContain('--write needs --ui: add --ui, or remove --write');
    expect(code).toBe(1);
  });

  it('npm start does not touch the current cluster unless two settings say so', async () => {
    const { stderr, code } = await demo(['--cluster', 'current']);
    expect(stderr).toMatch(
      /Cannot use your cluster without --yes=<context>: .* will be created in it, and removed in the end/,
    );
    expect(code).toBe(1);
  });
});
