import { beforeEach, describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import type { ApiAnswer, Cluster } from '#lib/cli/shell/context.ts';
import { namespaceCalled } from '#lib/cli/verbs/dev/cluster/rights.ts';
import { refuseBeside } from '#lib/cli/verbs/run/other-operators.ts';
import { ApiError } from '#lib/errors.ts';
import { Deployment } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { ran, recordingContext } from './run-cli.ts';
import { type VirtualCluster, virtualCluster } from './virtual-cluster.ts';

const labels = { 'app.kubernetes.io/component': 'operator', 'app.kubernetes.io/managed-by': 'cdk8s-reconcile' };
const target = { namespace: 'default', name: 'operator' };
const write = { fieldManager: 'test', namespace: 'default' };

const answering =
  (allowed: boolean): Cluster['ask'] =>
  async (): Promise<ApiAnswer> => ({ code: 201, body: { status: { allowed } }, date: undefined });

const install = async ({ api }: VirtualCluster, watchNamespace = ''): Promise<void> => {
  const env = [
    { name: 'LEASE_NAME', value: 'operator' },
    { name: 'WATCH_NAMESPACE', value: watchNamespace },
  ];
  const containers = [{ name: 'operator', image: 'operator:1', env }];
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  const metadata = { name: target.name, labels };
  await api.create(Deployment, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }, write);
};

const REFUSED =
  'Cannot run: the operator default/operator runs these kinds in https://virtual, and each would undo the writes of the other; scale it to 0 (kubectl -n default scale deployment operator --replicas=0), take turns with it (LEASE_NAME=operator POD_NAMESPACE=default), or run both all the same: --beside';

let virtual: VirtualCluster;
let cluster: Cluster;
beforeEach(async () => {
  virtual = await virtualCluster(() => undefined, { kinds, isStill: true });
  cluster = { ...virtual.cluster, ask: answering(true) };
});

describe('run', () => {
  it('run refuses when an operator is installed that runs these kinds', async () => {
    await install(virtual);
    expect(await ran('run', { cluster })).toEqual({ code: 1, stdout: '', stderr: `cdk8s-reconcile: ${REFUSED}\n` });
  });

  it('run refuses when dev works in the cluster, whose namespace shows it', async () => {
    const namespace = namespaceCalled('cdk8s-reconcile-dev');
    await virtual.api.create(namespace.resource, namespace.object, { fieldManager: 'test' });
    const { code, stderr } = await ran('run', { cluster });
    expect(code).toBe(1);
    expect(stderr).toBe(
      'cdk8s-reconcile: Cannot run: an operator of dev works in https://virtual (the namespace cdk8s-reconcile-dev exists), and each would undo the writes of the other; end dev, or remove what a killed dev has left: kubectl delete namespace cdk8s-reconcile-dev; or run both all the same: --beside\n',
    );
  });

  it('run --beside does not look for other operators', async () => {
    await install(virtual);
    const { code, stderr } = await ran('run --beside', { cluster, env: { KUBECONFIG: '/nowhere/config' } });
    expect(code).toBe(1);
    expect(stderr).toContain('/nowhere/config');
  });
});

describe('refuseBeside()', () => {
  const { context } = recordingContext();
  const beside = (env: Record<string, string> = {}, leaderElection = true): Promise<void> =>
    refuseBeside(context, cluster, { kinds: kinds.map(refOf), env, leaderElection });
  const turns = { LEASE_NAME: 'operator', POD_NAMESPACE: 'default' };

  it('refuseBeside() passes when no operator is installed', async () => {
    await expect(beside()).resolves.toBeUndefined();
  });

  it('refuseBeside() lets pass when the other one is scaled to 0', async () => {
    await install(virtual);
    await virtual.api.patch(Deployment, target, { spec: { replicas: 0 } }, { type: 'merge', fieldManager: 'test' });
    await expect(beside()).resolves.toBeUndefined();
  });

  it('refuseBeside() lets pass when both take turns, which needs a lease', async () => {
    await install(virtual);
    await expect(beside(turns)).resolves.toBeUndefined();
    await expect(beside(turns, false)).rejects.toThrow(/replicas=0\), or run both all the same: --beside$/);
    await expect(beside({ ...turns, LEADER_ELECTION: 'false' })).rejects.toThrow(REFUSED);
    await expect(beside({ ...turns, POD_NAMESPACE: 'other' })).rejects.toThrow(REFUSED);
  });

  it('refuseBeside() lets pass when they look at different namespaces', async () => {
    await install(virtual, 'shop,team-a');
    await expect(beside({ WATCH_NAMESPACE: 'team-b' })).resolves.toBeUndefined();
    await expect(beside({ WATCH_NAMESPACE: 'team-b,shop' })).rejects.toThrow(REFUSED);
  });

  it('refuseBeside() lets pass when the other one may not watch these kinds', async () => {
    await install(virtual);
    cluster = { ...cluster, ask: answering(false) };
    await expect(beside()).resolves.toBeUndefined();
  });

  it('refuseBeside() warns when Deployments may not be listed', async () => {
    const message = 'deployments.apps is forbidden';
    const list: Cluster['api']['list'] = () => {
      throw new ApiError('list', { httpStatus: 403, reason: 'Forbidden', message });
    };
    const recorded = recordingContext();
    const blind = { ...cluster, api: { ...virtual.api, list } };
    await refuseBeside(recorded.context, blind, { kinds: kinds.map(refOf), env: {}, leaderElection: true });
    expect(recorded.written().stderr).toMatch(/^Cannot check whether another operator is installed.* is forbidden/);
  });
});
