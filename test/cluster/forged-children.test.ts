import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';

// Tests each row of "Forgeable data" in docs/decisions/restored-children.md as a user that has the rights of the row and no
// others.

interface PodBody {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
}

const TENANT = 'tenant';
const SET = 'web';

let plane: ControlPlane;
let operator: OperatorProcess;

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false, users: [{ name: TENANT }] });
  await installBundle(plane);
  operator = await startInstalledOperator(plane);
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

const pods = async (namespace: string): Promise<readonly PodBody[]> => {
  const { body } = await plane.request<{ items: PodBody[] }>('GET', `/api/v1/namespaces/${namespace}/pods`);
  return body.items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
};

const owned = async (namespace: string): Promise<readonly PodBody[]> =>
  (await pods(namespace)).filter(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === SET));

const scale = async (namespace: string, replicas: number): Promise<void> => {
  const set = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: SET }, spec: { replicas } };
  const args = ['apply', '--server-side', '--force-conflicts', '-n', namespace, '-f', '-'];
  expect((await plane.kubectl(args, { input: JSON.stringify(set) })).code).toBe(0);
  await waitFor(`${replicas} pods in ${namespace}`, async () => (await owned(namespace)).length === replicas);
};

/** A namespace with a PodSet of two pods, and a tenant with some rights there. */
const shop = async (rules: readonly object[]): Promise<{ readonly namespace: string; readonly uids: string[] }> => {
  const namespace = await plane.createNamespace('shop');
  const rbac = 'rbac.authorization.k8s.io';
  const path = `/apis/${rbac}/v1/namespaces/${namespace}`;
  await plane.request('POST', `${path}/roles`, { metadata: { name: TENANT }, rules });
  await plane.request('POST', `${path}/rolebindings`, {
    metadata: { name: TENANT },
    roleRef: { apiGroup: rbac, kind: 'Role', name: TENANT },
    subjects: [{ apiGroup: rbac, kind: 'User', name: TENANT }],
  });
  await scale(namespace, 2);
  return { namespace, uids: (await owned(namespace)).map(({ metadata }) => metadata.uid).toSorted() };
};

/** Creates an object as the tenant. */
const create = async (namespace: string, object: object) =>
  plane.kubectl(['create', '-n', namespace, '-f', '-', `--kubeconfig=${plane.kubeconfigFor(TENANT)}`], {
    input: JSON.stringify(object),
  });

/** A pod with the marks of a restored child of the PodSet. */
const forgedPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'forged',
    labels: { 'app.example.com/podset': SET },
    annotations: { 'cdk8s-reconcile/intent': 'abcdefghij' },
  },
  spec: { containers: [{ name: 'a', image: 'a' }] },
};

const onPods = [{ apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list'] }];
const onPodSets = [{ apiGroups: ['app.example.com'], resources: ['podsets'], verbs: ['create', 'get'] }];

describe('a forged child', () => {
  it('of another namespace stays as it is, and the PodSet of its label keeps its pods', async () => {
    const { namespace, uids } = await shop([]);
    const other = await shop(onPods);
    await plane.request('DELETE', `/apis/app.example.com/v1alpha1/namespaces/${other.namespace}/podsets/${SET}`);
    await waitFor('the pods of the other set to be gone', async () => (await pods(other.namespace)).length === 0);
    expect((await create(other.namespace, forgedPod)).code).toBe(0);
    // What follows shows that passes took place meanwhile.
    await scale(namespace, 3);
    expect((await pods(other.namespace)).map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined]);
    const kept = (await owned(namespace)).map(({ metadata }) => metadata.uid);
    expect(kept).toEqual(expect.arrayContaining(uids));
  });

  it('in the namespace is removed as surplus; the pods of the PodSet are the same', async () => {
    const { namespace, uids } = await shop(onPods);
    expect((await create(namespace, forgedPod)).code).toBe(0);
    await waitFor('two pods again', async () => {
      const left = (await pods(namespace)).map(({ metadata }) => metadata.uid);
      return left.length === 2;
    });
    const left = (await pods(namespace)).map(({ metadata }) => metadata.uid).toSorted();
    expect(left).toEqual(uids);
  });

  it('cannot be made by an author of resources alone: the pod guard refuses a PodSet of a deleted name', async () => {
    const { namespace } = await shop(onPodSets);
    const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets/${SET}?propagationPolicy=Orphan`;
    await plane.request('DELETE', path);
    await waitFor('the pods to have no owner', async () => (await owned(namespace)).length === 0);
    const set = {
      apiVersion: 'app.example.com/v1alpha1',
      kind: 'PodSet',
      metadata: { name: SET },
      spec: { replicas: 0 },
    };
    const { code, stderr } = await create(namespace, set);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/forbidden|denied/i) as string });
    expect(await pods(namespace)).toHaveLength(2);
  });

  it('cannot be made of a pod by an author without rights on pods', async () => {
    const { namespace } = await shop(onPodSets);
    const { code, stderr } = await create(namespace, forgedPod);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('forbidden') as string });
  });
});
