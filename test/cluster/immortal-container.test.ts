import { fileURLToPath } from 'node:url';
import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR_USER, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';

const manifest = fileURLToPath(new URL('../manifests/immortalcontainer.yaml', import.meta.url));
const NAME = 'example-immortalcontainer';
const POD = `${NAME}-immortalpod`;
const merge = { contentType: 'application/merge-patch+json' } as const;

interface Immortal {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly phase: string;
    readonly startTimes: number;
    readonly currentPodUID?: string;
    readonly lastExit?: { readonly podUID: string; readonly reason: string; readonly exitCode?: number };
    readonly observedGeneration: number;
    readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

let plane: ControlPlane;
let operator: OperatorProcess;
/** A pod that does not stop. Its deletion begins before the tests, because it counts as stuck only after a minute. */
let unstoppable: Unstoppable;

// Without scheduler and kwok the tests write what kubelets report, so that nothing depends on timing.
beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
  operator = await startInstalledOperator(plane);
  unstoppable = await stopping('silent');
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

const pathOf = (namespace: string): string =>
  `/apis/immortalcontainer.flugel.it/v1alpha1/namespaces/${namespace}/immortalcontainers/${NAME}`;
const podPath = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods/${POD}`;

const read = async (namespace: string): Promise<Immortal> =>
  (await plane.request<Immortal>('GET', pathOf(namespace))).body;

const podIn = async (namespace: string): Promise<KubePod | undefined> =>
  (await plane.request<{ items: KubePod[] }>('GET', `/api/v1/namespaces/${namespace}/pods`)).body.items.find(
    ({ metadata }) => metadata?.name === POD,
  );

const kubectl = async (namespace: string, ...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await plane.kubectl(['-n', namespace, ...args]);
  expect(`${code} ${stderr}`).toBe('0 ');
  return stdout;
};

const edit = async (namespace: string, spec: object): Promise<void> =>
  void (await plane.request('PATCH', pathOf(namespace), { spec }, merge));

/** Writes the status that a kubelet reports. */
const report = async (namespace: string, status: object): Promise<void> =>
  void (await plane.request('PATCH', `${podPath(namespace)}/status`, { status }, merge));

const container = (state: object, ready = false) => ({
  name: 'acontainer',
  image: 'nginx:latest',
  imageID: '',
  ready,
  restartCount: 0,
  state,
});

const at = (secondsAgo: number): string => `${new Date(Date.now() - secondsAgo * 1000).toISOString().slice(0, 19)}Z`;

const makeReady = async (namespace: string): Promise<void> =>
  report(namespace, {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(0) }],
    containerStatuses: [container({ running: { startedAt: at(0) } }, true)],
  });

const makeFail = async (namespace: string, exitCode: number): Promise<void> =>
  report(namespace, {
    phase: 'Failed',
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: at(0) }],
    containerStatuses: [container({ terminated: { exitCode, reason: 'Error', startedAt: at(20), finishedAt: at(0) } })],
  });

/** Waits until the status has these values for the latest spec. */
const settled = async (namespace: string, expected: Partial<NonNullable<Immortal['status']>>): Promise<Immortal> => {
  await waitFor(`${namespace} to say ${JSON.stringify(expected)}`, async () => {
    const { metadata, status } = await read(namespace);
    if (status?.observedGeneration !== metadata.generation) return false;
    return Object.entries(expected).every(([name, value]) => (status as Record<string, unknown>)[name] === value);
  });
  return read(namespace);
};

/** Applies the classic manifest, and waits until its first pod is ready. */
const applied = async (prefix: string): Promise<{ readonly namespace: string; readonly uid: string }> => {
  const namespace = await plane.createNamespace(prefix);
  await kubectl(namespace, 'apply', '-f', manifest);
  await settled(namespace, { phase: 'Pending', startTimes: 1 });
  await makeReady(namespace);
  const { status } = await settled(namespace, { phase: 'Running' });
  return { namespace, uid: status?.currentPodUID ?? '' };
};

interface Unstoppable {
  readonly namespace: string;
  /** Uid of the pod. */
  readonly uid: string;
}

/** Creates a node without kubelet, and a pod on it in a namespace named after it; deletes the pod, which does not stop. */
const stopping = async (node: string): Promise<Unstoppable> => {
  const namespace = await plane.createNamespace(node);
  await plane.request('POST', '/api/v1/nodes', { metadata: { name: node } });
  await kubectl(namespace, 'apply', '-f', manifest);
  await settled(namespace, { phase: 'Pending', startTimes: 1 });
  const target = { apiVersion: 'v1', kind: 'Node', name: node };
  await plane.request('POST', `${podPath(namespace)}/binding`, { metadata: { name: POD }, target });
  await makeReady(namespace);
  const { status } = await settled(namespace, { phase: 'Running' });
  await kubectl(namespace, 'delete', 'pod', POD, '--wait=false', '--grace-period=1');
  return { namespace, uid: status?.currentPodUID ?? '' };
};

/** Declares that a machine is off, as an administrator does. */
const vouchFor = async (node: string): Promise<string> =>
  kubectl('default', 'taint', 'node', node, 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute');

const deletionsBy = async (user: string, namespace: string): Promise<number> =>
  (await plane.auditEntries({ user })).filter(
    (it) => it.verb === 'delete' && it.resource === 'pods' && it.code < 300 && it.namespace === namespace,
  ).length;

const conditionOf = ({ status }: Immortal, type: string) => status?.conditions.find((one) => one.type === type);

/** Waits until a pod with another uid exists and is counted. */
const replaced = async (namespace: string, uid: string, startTimes: number): Promise<KubePod> => {
  const { status } = await settled(namespace, { phase: 'Pending', startTimes });
  expect(status?.currentPodUID).not.toBe(uid);
  const pod = await podIn(namespace);
  expect(pod?.metadata?.uid).toBe(status?.currentPodUID);
  return pod ?? {};
};

describe('ImmortalContainer on a real control plane', () => {
  it('runs the classic container in the classic pod when the classic manifest is applied', async () => {
    const { namespace } = await applied('classic');
    const pod = await podIn(namespace);
    expect(pod?.spec?.containers).toMatchObject([{ name: 'acontainer', image: 'nginx:latest' }]);
    expect(pod?.spec?.restartPolicy).toBe('Always');
    expect(pod?.metadata?.labels).toMatchObject({ app: NAME });
    expect(pod?.metadata?.ownerReferences).toMatchObject([{ kind: 'ImmortalContainer', name: NAME, controller: true }]);
    await kubectl(namespace, 'wait', '--for=condition=Ready', '--timeout=180s', `imc/${NAME}`);
    const [head = '', row = ''] = (await kubectl(namespace, 'get', 'imc')).split('\n');
    expect(head.split(/\s+/)).toEqual(['NAME', 'IMAGE', 'PHASE', 'POD', 'STARTS', 'AGE']);
    expect(row.split(/\s+/).slice(0, 5)).toEqual([NAME, 'nginx:latest', 'Running', POD, '1']);
  });

  it('starts another pod when the pod fails, counts it, and shows the story in kubectl describe', async () => {
    const { namespace, uid } = await applied('fails');
    await edit(namespace, { backoff: { initialSeconds: 1 } });
    await makeFail(namespace, 3);
    await replaced(namespace, uid, 2);
    const { status } = await read(namespace);
    expect(status?.lastExit).toMatchObject({ podUID: uid, reason: 'Error', exitCode: 3 });
    await makeReady(namespace);
    await settled(namespace, { phase: 'Running' });
    const reasons = ['PodCreated', 'PodReady', 'PodExited', 'PodReplaced'];
    await waitFor('the whole story', async () => {
      const [, events = ''] = (await kubectl(namespace, 'describe', 'imc', NAME)).split(/^Events:/m);
      return reasons.every((reason) => events.includes(` ${reason} `)) && events.includes('exit code 3');
    });
  });

  it('starts another pod when a user deletes it', async () => {
    const { namespace, uid } = await applied('killed');
    await kubectl(namespace, 'delete', 'pod', POD, '--wait=false');
    await replaced(namespace, uid, 2);
    expect((await read(namespace)).status?.lastExit).toMatchObject({ podUID: uid, reason: 'Deleted' });
  });

  it('replaces the pod when the image is edited, also while it cannot be pulled', async () => {
    const { namespace, uid } = await applied('edit');
    await edit(namespace, { image: 'nginx:nonsense' });
    const second = await replaced(namespace, uid, 2);
    expect(second.spec?.containers[0]?.image).toBe('nginx:nonsense');
    await report(namespace, { containerStatuses: [container({ waiting: { reason: 'ImagePullBackOff' } })] });
    await waitFor('the reason ImagePullFailed', async () => {
      const ready = conditionOf(await read(namespace), 'Ready');
      return ready?.status === 'False' && ready.reason === 'ImagePullFailed';
    });
    await edit(namespace, { image: 'nginx:1.27' });
    const third = await replaced(namespace, second.metadata?.uid ?? '', 3);
    expect(third.spec?.containers[0]?.image).toBe('nginx:1.27');
    expect((await read(namespace)).status?.lastExit?.reason).toBe('Replaced');
  });

  it('changes the image of the pod that is there when updatePolicy is InPlace, time and again', async () => {
    const { namespace, uid } = await applied('in-place');
    for (const image of ['nginx:1.27', 'nginx:1.28']) {
      await edit(namespace, { image, updatePolicy: 'InPlace' });
      await waitFor(`the image ${image}`, async () => {
        const pod = await podIn(namespace);
        return pod?.spec?.containers[0]?.image === image && pod.metadata?.uid === uid;
      });
    }
    const { status } = await settled(namespace, { phase: 'Running', startTimes: 1 });
    expect(status?.currentPodUID).toBe(uid);
    expect((await podIn(namespace))?.metadata?.deletionTimestamp).toBeUndefined();
  });

  it('stops its pod when it is suspended, and goes on counting when it is not any more', async () => {
    const { namespace, uid } = await applied('suspend');
    await edit(namespace, { suspend: true });
    await waitFor('the pod to go', async () => (await podIn(namespace)) === undefined);
    const { status } = await settled(namespace, { phase: 'Suspended', startTimes: 1 });
    expect(status?.lastExit).toMatchObject({ podUID: uid, reason: 'Suspended' });
    await edit(namespace, { suspend: false });
    await replaced(namespace, uid, 2);
  });

  it('leaves a foreign pod alone, reports it, and starts its own when the name is free', async () => {
    const namespace = await plane.createNamespace('foreign');
    const spec = { containers: [{ name: 'c', image: 'busybox' }] };
    const body = { metadata: { name: POD }, spec };
    const theirs = (await plane.request<KubePod>('POST', `/api/v1/namespaces/${namespace}/pods`, body)).body;
    await kubectl(namespace, 'apply', '-f', manifest);
    const blocked = await settled(namespace, { phase: 'Blocked', startTimes: 0 });
    expect(conditionOf(blocked, 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
    expect(conditionOf(blocked, 'PodCreated')).toMatchObject({ status: 'False', reason: 'NameConflict' });
    const left = await podIn(namespace);
    expect(left?.metadata).toMatchObject({ uid: theirs.metadata?.uid });
    expect(left?.metadata?.ownerReferences).toBeUndefined();
    await kubectl(namespace, 'delete', 'pod', POD);
    await replaced(namespace, theirs.metadata?.uid ?? '', 1);
  });

  it('adopts a pod that is given away by annotation, and leaves it running', async () => {
    const namespace = await plane.createNamespace('adopt');
    const metadata = { name: POD, annotations: { 'immortalcontainer.flugel.it/adopt': 'true' } };
    const spec = { containers: [{ name: 'c', image: 'busybox' }] };
    const theirs = (await plane.request<KubePod>('POST', `/api/v1/namespaces/${namespace}/pods`, { metadata, spec }))
      .body;
    await kubectl(namespace, 'apply', '-f', manifest);
    const { status } = await settled(namespace, { phase: 'Pending', startTimes: 0 });
    expect(status?.currentPodUID).toBe(theirs.metadata?.uid);
    expect((await podIn(namespace))?.metadata?.ownerReferences).toMatchObject([{ name: NAME, controller: true }]);
  });

  it('deletes a pod by force only when its node is gone, and starts another then', async () => {
    const { namespace, uid } = await stopping('dead');
    await edit(namespace, { forceDeleteAfterSeconds: 1 });
    await settled(namespace, { phase: 'Replacing', startTimes: 1 });
    const graceEnd = Date.parse((await podIn(namespace))?.metadata?.deletionTimestamp ?? '');
    await waitFor('the pod to be overdue', async () => Date.now() > graceEnd + 2000);
    // The pod stays because its node exists; without a node the pod garbage collector deletes it after 40 s.
    expect((await podIn(namespace))?.metadata?.uid).toBe(uid);
    await plane.request('DELETE', '/api/v1/nodes/dead');
    await replaced(namespace, uid, 2);
    expect((await read(namespace)).status?.lastExit).toMatchObject({ podUID: uid });
  });

  it('deletes a pod by force when an administrator declares its node off, though the node reports otherwise', async () => {
    const { namespace, uid } = await stopping('vouched');
    const ready = [{ type: 'Ready', status: 'True', lastHeartbeatTime: at(0), lastTransitionTime: at(0) }];
    await plane.request('PATCH', '/api/v1/nodes/vouched/status', { status: { conditions: ready } }, merge);
    await edit(namespace, { forceDeleteAfterSeconds: 1 });
    await settled(namespace, { phase: 'Replacing', startTimes: 1 });
    await vouchFor('vouched');
    await replaced(namespace, uid, 2);
    expect(await deletionsBy(OPERATOR_USER, namespace)).toBe(1);
  });

  it('is Stuck while a pod does not stop, starts no second one, and goes on when Kubernetes has removed it', async () => {
    const { namespace, uid } = unstoppable;
    const stuck = await settled(namespace, { phase: 'Stuck', startTimes: 1, currentPodUID: uid });
    expect(conditionOf(stuck, 'Stalled')).toMatchObject({ status: 'True', reason: 'PodStuckTerminating' });
    await vouchFor('silent');
    // The pod garbage collector, which looks every 20 s, deletes the pod: the spec does not ask for force.
    await replaced(namespace, uid, 2);
    expect(await deletionsBy(OPERATOR_USER, namespace)).toBe(0);
    await waitFor('the story', async () =>
      (await kubectl(namespace, 'get', 'events', '-o', 'jsonpath={.items[*].reason}')).includes('PodStuckTerminating'),
    );
  });

  it('asked for nothing that it had no right to', async () => {
    const entries = await plane.auditEntries({ user: OPERATOR_USER });
    expect(entries.filter(({ code }) => code === 403)).toEqual([]);
  });
});
