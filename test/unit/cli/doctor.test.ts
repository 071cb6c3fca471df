import { beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { ApiAnswer, Cluster } from '#lib/cli/shell/context.ts';
import { namespaceCalled } from '#lib/cli/verbs/dev/cluster/rights.ts';
import { ConnectionError } from '#lib/errors.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import { ran } from './run-cli.ts';
import { type VirtualCluster, virtualCluster } from './virtual-cluster.ts';

const deployments: ApiResource = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
  scope: 'Namespaced',
};
const leases: ApiResource = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
};
const labels = { 'app.kubernetes.io/component': 'operator', 'app.kubernetes.io/managed-by': 'cdk8s-reconcile' };
const write = { fieldManager: 'test', namespace: 'default' };

const container = { name: 'operator', image: 'operator:1', env: [{ name: 'LEASE_NAME', value: 'operator' }] };

/** A cluster with the answers of an API server; `refused` are rights that the service account lacks. */
const asking =
  (now: number, { version = 'v1.33.1', refused = [] as string[], skewMs = 0 } = {}): Cluster['ask'] =>
  async (path, body): Promise<ApiAnswer> => {
    const date = now + skewMs;
    if (path === '/version') return { code: 200, body: { gitVersion: version }, date };
    const { spec } = body as { spec: { resourceAttributes: { verb: string; resource: string } } };
    const { verb, resource } = spec.resourceAttributes;
    return { code: 201, body: { status: { allowed: !refused.includes(`${verb} ${resource}`) } }, date };
  };

const unreachable = async (): Promise<ApiAnswer> => {
  throw new ConnectionError('Cannot reach https://gone: ECONNREFUSED');
};

let virtual: VirtualCluster;
beforeAll(async () => {
  virtual = await virtualCluster(() => undefined, { kinds, isStill: true });
  const spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { serviceAccountName: 'operator', containers: [container] } },
  };
  const metadata = { name: 'operator', labels };
  await virtual.api.create(deployments, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }, write);
  await virtual.api.patchStatus(
    deployments,
    { namespace: 'default', name: 'operator' },
    { status: { replicas: 1, readyReplicas: 1 } },
    write,
  );
  const renewTime = new Date(virtual.now()).toISOString().replace('Z', '000Z');
  const lease = { holderIdentity: 'operator-1', leaseDurationSeconds: 15, renewTime };
  await virtual.api.create(
    leases,
    { apiVersion: leases.apiVersion, kind: 'Lease', metadata: { name: 'operator' }, spec: lease },
    write,
  );
});

const patchContainer = async (one: object) =>
  virtual.api.patch(
    deployments,
    { namespace: 'default', name: 'operator' },
    { spec: { template: { spec: { containers: [one] } } } },
    { ...write, type: 'merge' },
  );

const doctor = (ask: Parameters<typeof asking>[1] = {}, more: object = {}) =>
  ran('doctor', { ...virtual, cluster: { ...virtual.cluster, ask: asking(virtual.now(), ask) }, ...more });

const refusing: Cluster['ask'] = async () => ({ code: 401, body: {}, date: undefined });

describe('doctor', () => {
  it('finds all in order', async () => {
    const { code, stdout, stderr } = await doctor();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(`\n${stdout.replace(/\d+ rights/, 'N rights')}`).toBe(`
ok       cluster   https://virtual answers, Kubernetes v1.33.1
ok       clock     this clock and that of the API server agree
ok       crd       appservices.app.example.com equals the compiled kind
ok       crd       canaryrollouts.deploy.example.com equals the compiled kind
ok       crd       deployers.deploy.example.com equals the compiled kind
ok       crd       immortalcontainers.immortalcontainer.flugel.it equals the compiled kind
ok       crd       podsets.app.example.com equals the compiled kind
ok       operator  default/operator is ready (1/1)
ok       lease     operator-1 holds the lease default/operator
ok       rights    the service account default/operator may do all that the kinds need (N rights)
`);
  });

  it('names what is wrong, with the way out, and ends with 1', async () => {
    const { code, stdout } = await doctor(
      { refused: ['create pods', 'patch pods'], version: 'v1.29.4', skewMs: 20_000 },
      { now: () => virtual.now() + 620_000 },
    );
    expect(code).toBe(1);
    expect(stdout).toContain(
      'warning  cluster   Kubernetes v1.29.4 is outside of 1.30 to 1.37, for which this is made',
    );
    expect(stdout).toContain('failed   clock     this clock is 9m59s ahead of that of the API server\n');
    expect(stdout).toContain('failed   lease     operator-1 has not renewed the lease default/operator for 20s');
    expect(stdout).toContain(
      'failed   rights    the service account default/operator may not create pods, patch pods\n',
    );
    expect(stdout).toContain('                   → install the bundle of this version');
  });

  it('expects no rights on events of an operator that writes none', async () => {
    const refused = ['create events', 'patch events'];
    expect((await doctor({ refused })).stdout).toContain('may not create events.events.k8s.io');
    const silent = { ...container, env: [...container.env, { name: 'EVENTS', value: 'off' }] };
    await patchContainer(silent);
    expect((await doctor({ refused })).stdout).toContain('ok       rights');
    await patchContainer(container);
  });

  it('finds that the operator works when only the local clock is wrong', async () => {
    const { stdout } = await doctor({}, { now: () => virtual.now() + 600_000 });
    expect(stdout).toContain('failed   clock     this clock is 9m59s ahead of that of the API server\n');
    expect(stdout).toContain('ok       lease     operator-1 holds the lease default/operator\n');
  });

  it('misses definitions and an operator', async () => {
    const bare = await virtualCluster(() => undefined, { kinds: [podSet], isStill: true });
    const { code, stdout } = await doctor({}, { ...bare, cluster: { ...bare.cluster, ask: asking(bare.now()) } });
    expect(code).toBe(1);
    expect(stdout).toContain('failed   crd       deployers.deploy.example.com is not installed\n');
    expect(stdout).toContain('warning  operator  no operator of cdk8s-reconcile is installed\n');
  });

  it('names the operator of dev, and warns when an installed one works beside it', async () => {
    const dev = await virtualCluster(() => undefined, { kinds: [podSet], isStill: true });
    const namespace = namespaceCalled('cdk8s-reconcile-dev');
    await dev.api.create(namespace.resource, namespace.object, write);
    const cluster = { ...dev.cluster, ask: asking(dev.now()) };
    const { stdout: alone } = await ran('doctor', { ...dev, cluster });
    expect(alone).toContain(
      'ok       operator  an operator of dev works here (the namespace cdk8s-reconcile-dev exists)\n',
    );
    expect(alone).not.toContain('no operator of cdk8s-reconcile is installed');
    const metadata = { name: 'operator', labels };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    await dev.api.create(deployments, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }, write);
    expect((await ran('doctor', { ...dev, cluster })).stdout).toMatch(
      /^warning {2}operator {2}an operator of dev works here \(.*\), beside an installed one\n *→ end dev, or .*\nfailed {3}operator {2}default\/operator/m,
    );
  });

  it('fits a terminal of 40 columns, and is data for programs', async () => {
    const { stdout } = await doctor({ skewMs: 20_000 }, { columns: 40, isTerminal: true, env: { NO_COLOR: '1' } });
    const long = stdout.split('\n').filter((line) => line.length > 40);
    // Longer words are on lines of their own.
    expect(long.filter((line) => line.trim().includes(' '))).toEqual([]);
    expect(stdout).toContain('warning  clock\n  this clock is 19s behind that of the\n  API server\n');
    const { stdout: json } = await ran('doctor -o json', {
      ...virtual,
      cluster: { ...virtual.cluster, ask: asking(virtual.now()) },
    });
    expect(JSON.parse(json)).toContainEqual({
      check: 'lease',
      state: 'ok',
      message: 'operator-1 holds the lease default/operator',
    });
  });

  it('reports that the cluster does not answer, as a finding', async () => {
    const { code, stdout, stderr } = await ran('doctor', {
      ...virtual,
      cluster: { ...virtual.cluster, ask: unreachable },
    });
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^failed {3}cluster {3}Cannot reach https:\/\/gone: ECONNREFUSED\n *→ start it/);
  });

  it('reports that the user is refused, and checks nothing else', async () => {
    expect(await ran('doctor', { ...virtual, cluster: { ...virtual.cluster, ask: refusing } })).toEqual({
      code: 1,
      stderr: '',
      stdout:
        'failed   cluster   https://virtual refuses the credentials (401)\n                   → sign in again, or choose another context: --context\n',
    });
  });
});
