import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import { repository } from '#test/architecture/repository.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnCommand } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { type Ran, ran } from '#test/unit/cli/run-cli.ts';

const main = join(repository, 'lib/cli/main.ts');
const config = join(repository, 'reconcile.config.ts');
const templateOf = (version: string) => ({ spec: { containers: [{ name: 'web', image: `web:${version}` }] } });
const { signal } = new AbortController();

let scratch: string;
let plane: ControlPlane;
let operator: OperatorProcess;
let namespace: string;

/** Runs the commands in this process, with a real connection. */
const cli = (line: string, kubeconfig = plane.kubeconfig): Promise<Ran> =>
  ran(`${line} -n ${namespace} --kubeconfig ${kubeconfig}`, {
    connect: (choice) => connectTo(choice, { env: {}, signal }),
    cwd: repository,
    now: () => Date.now(),
  });

const collection = (group: string, plural: string): string =>
  `/apis/${group}/v1alpha1/namespaces/${namespace}/${plural}`;

const rollout = (): string => `${collection('deploy.example.com', 'canaryrollouts')}/web`;

const edit = async (spec: object): Promise<void> => {
  await plane.request('PATCH', rollout(), { spec }, { contentType: 'application/merge-patch+json' });
};

const untilPaused = (): Promise<unknown> =>
  waitFor('the step that waits for a person', async () => {
    const { body } = await plane.request<{ status?: { phase?: string } }>('GET', rollout());
    return body.status?.phase === 'Paused';
  });

// The operator is the command `run`, with the rights of the installed operator. The pods of the installed operator are
// faked.
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'cli-'));
  plane = await startControlPlane();
  await installBundle(plane);
  const kubeconfig = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
  const options = ['--config', config, '--no-leader-election', '--beside', '--kubeconfig', kubeconfig];
  operator = spawnCommand([process.execPath, main, 'run', ...options], { PATH: process.env['PATH'] });
  namespace = await plane.createNamespace('cli');
  await plane.request('POST', collection('app.example.com', 'podsets'), {
    apiVersion: 'app.example.com/v1alpha1',
    kind: 'PodSet',
    metadata: { name: 'plain' },
    spec: { replicas: 2, template: templateOf('1') },
  });
  await plane.request('POST', collection('deploy.example.com', 'canaryrollouts'), {
    apiVersion: 'deploy.example.com/v1alpha1',
    kind: 'CanaryRollout',
    metadata: { name: 'web' },
    spec: { replicas: 2, template: templateOf('1'), steps: [{ percent: 50, pause: true }] },
  });
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
  await rm(scratch, { recursive: true, force: true });
});

describe('the command line on a real cluster', () => {
  it('finds the definitions the same as those that were installed', async () => {
    const { code, stdout, stderr } = await cli('crd diff');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/: the same\n/g)).toHaveLength(5);
  });

  it('waits for what its own operator brings about, and shows it', async () => {
    expect(await cli('rollout status podset/plain --timeout 4m')).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await cli('tree podset/plain');
    expect(stdout).toMatch(/^NAME +READY +REASON +AGE +MESSAGE\nPodSet\/plain +True +PodsReady /);
    expect(stdout.match(/─Pod\/plain-\w+ +1\/1 +Running /g)).toHaveLength(2);
    const explained = await cli('explain podset/plain');
    expect(explained.stdout).toContain('The operator would now:\n  nothing: all children are up to date\n');
  });

  it('steers a rollout', async () => {
    expect(await cli('rollout status crollout/web --timeout 4m')).toMatchObject({ code: 0, stderr: '' });
    await edit({ template: templateOf('2') });
    await untilPaused();
    const tree = await cli('tree crollout/web');
    expect(tree.stdout.match(/ {2}[├└]─Pod\/web-/g)?.length).toBeGreaterThanOrEqual(2);
    const promoted = await cli('rollout promote crollout/web --wait 4m');
    expect(promoted).toEqual({ code: 0, stderr: '', stdout: 'CanaryRollout/web promote: StepPromoted\n' });
    expect(await cli('rollout status crollout/web --timeout 4m')).toMatchObject({ code: 0, stderr: '' });
    expect((await cli('rollout undo crollout/web')).stdout).toMatch(
      /^CanaryRollout\/web asks for version \w{10} again\n$/,
    );
    await untilPaused();
    expect(await cli('rollout abort crollout/web --wait 4m')).toMatchObject({
      code: 0,
      stdout: 'CanaryRollout/web abort: RolloutAborted\n',
    });
    const refused = await cli('rollout promote crollout/web');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('Cannot promote crollout/web: no rollout is under way');
  });

  it('asks the API server what the operator may do', async () => {
    const { stdout, stderr } = await cli('doctor');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^ok {7}cluster {3}https:\/\/\S+ answers, Kubernetes v1\.\d+/);
    expect(stdout).toContain('ok       clock ');
    expect(stdout.match(/ok {7}crd /g)).toHaveLength(5);
    expect(stdout).toMatch(/ok {7}rights {4}the service account \S+ may do all that the kinds need \(\d+ rights\)/);
    // The operator works without leader election here, and not in its Deployment.
    expect(stdout).toContain('failed   lease     there is no lease');
  });

  it('reports missing rights and an unreachable cluster in one line', async () => {
    await plane.kubectl(['-n', namespace, 'create', 'serviceaccount', 'nobody']);
    const nobody = await plane.serviceAccountKubeconfig(namespace, 'nobody');
    const forbidden = await cli('tree podset/plain', nobody);
    expect(forbidden).toMatchObject({ code: 1, stdout: '' });
    expect(forbidden.stderr).toMatch(
      /^cdk8s-reconcile: Cannot get podsets .*\(403 Forbidden\); ask for the right.*\n$/,
    );
    const away = join(scratch, 'away');
    const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } };
    const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
    const users = [{ name: 'u', user: {} }];
    await writeFile(away, JSON.stringify({ clusters: [cluster], contexts: [context], users, 'current-context': 'x' }));
    const { code: doctorCode, stdout: findings } = await cli('doctor', away);
    expect(doctorCode).toBe(1);
    expect(findings).toMatch(/^failed +cluster +Cannot reach https:.*\n +→ start it/m);
    for (const command of ['tree podset/plain', 'crd diff']) {
      const { code, stdout, stderr } = await cli(command, away);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^cdk8s-reconcile: Cannot .*; see that the cluster is up.*\n$/);
    }
    const other = await cli('tree podset/plain --context other');
    expect(other.stderr).toMatch(/^cdk8s-reconcile: Cannot use kubeconfig .*: unknown context "other"/);
  });

  it('develops on it, with no more rights than it needs, and takes them away again', async () => {
    const name = 'cdk8s-reconcile-dev';
    const words = [
      'dev',
      '--cluster',
      'current',
      '--config',
      config,
      '-n',
      namespace,
      '--kubeconfig',
      plane.kubeconfig,
    ];
    const refused = await ran(words.join(' '), { cwd: repository });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/Cannot use https:\/\/\S+ \(.+\) without --yes: definitions of your kinds/);
    const beside = [...words, '--yes', '--beside'];
    const dev = spawnCommand([process.execPath, main, ...beside], { PATH: process.env['PATH'] });
    await waitFor('the operator to work', async () => dev.errors().includes('The operator of '));
    expect(dev.errors()).toMatch(/^Developing on https:\/\/\S+ /);
    const second = await ran(beside.join(' '), { cwd: repository });
    expect(second.stderr).toMatch(/the namespace cdk8s-reconcile-dev already exists: .* kubectl delete namespace/);
    expect(await dev.stop('SIGINT')).toBe(0);
    const user = `system:serviceaccount:${name}:${name}`;
    const sent = await plane.auditEntries({ user });
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter(({ code }) => code === 403)).toEqual([]);
    const { stdout } = await plane.kubectl([
      'get',
      'clusterrole,clusterrolebinding,role,rolebinding',
      '-A',
      '-o',
      'name',
    ]);
    expect(stdout).not.toContain(name);
    const gone = await plane.kubectl(['wait', `namespace/${name}`, '--for=delete', '--timeout=120s']);
    expect(gone.code).toBe(0);
    expect(await cli('crd diff')).toMatchObject({ code: 0 });
  });

  it('ends in order with Ctrl-C', async () => {
    const watch = ['tree', 'podset/plain', '-n', namespace, '--watch', '--config', config];
    const child = spawnCommand([process.execPath, main, ...watch, '--kubeconfig', plane.kubeconfig], {});
    await waitFor('the first lines', async () => child.log.length >= 3);
    expect(await child.stop('SIGINT')).toBe(0);
    expect(child.errors()).toBe('');
    expect(await operator.stop('SIGINT')).toBe(0);
    expect(operator.errors()).toBe('');
  });
});
