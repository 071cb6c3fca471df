import { readFileSync } from 'node:fs';
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

// No scheduler and no kwok: what kubelets do to pods is done by the tests, so that nothing depends on when.
beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
  operator = await startInstalledOperator(plane);
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

/** What a kubelet reports. */
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

/** Waits until the status says these things of the latest spec. */
const settled = async (namespace: string, expected: Partial<NonNullable<Immortal['status']>>): Promise<Immortal> => {
  await waitFor(`${namespace} to say ${JSON.stringify(expected)}`, async () => {
    const { metadata, status } = await read(namespace);
    if (status?.observedGeneration !== metadata.generation) return false;
    return Object.entries(expected).every(([name, value]) => (status as Record<string, unknown>)[name] === value);
  });
  return read(namespace);
};

/** The classic manifest was applied, and its first pod is ready. */
const applied = async (prefix: string): Promise<{ readonly namespace: string; readonly uid: string }> => {
  const namespace = await plane.createNamespace(prefix);
  await kubectl(namespace, 'apply', '-f', manifest);
  await settled(namespace, { phase: 'Pending', startTimes: 1 });
  await makeReady(namespace);
  const { status } = await settled(namespace, { phase: 'Running' });
  return { namespace, uid: status?.currentPodUID ?? '' };
};

const conditionOf = ({ status }: Immortal, type: string) => status?.conditions.find((one) => one.type === type);

/** A pod of another uid than before is there and counted. */
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

  it('starts another pod when the pod fails, counts it, and tells the story in kubectl describe', async () => {
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
      const [, told = ''] = (await kubectl(namespace, 'describe', 'imc', NAME)).split(/^Events:/m);
      return reasons.every((reason) => told.includes(` ${reason} `)) && told.includes('exit code 3');
    });
  });

  it('starts another pod when somebody deletes it', async () => {
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
    await waitFor('the failed pull to be told', async () => {
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

  it('leaves a pod of somebody else alone, says so, and starts its own when the name is free', async () => {
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
    const { namespace } = await applied('stuck');
    await plane.request('POST', '/api/v1/nodes', { metadata: { name: 'dead' } });
    await edit(namespace, { forceDeleteAfterSeconds: 1, restartPolicy: 'Never' });
    const second = await replaced(namespace, '', 2);
    const target = { apiVersion: 'v1', kind: 'Node', name: 'dead' };
    await plane.request('POST', `${podPath(namespace)}/binding`, { metadata: { name: POD }, target });
    await makeReady(namespace);
    await kubectl(namespace, 'delete', 'pod', POD, '--wait=false', '--grace-period=1');
    await settled(namespace, { phase: 'Replacing', startTimes: 2 });
    const graceEnd = Date.parse((await podIn(namespace))?.metadata?.deletionTimestamp ?? '');
    await waitFor('the pod to be overdue', async () => Date.now() > graceEnd + 2000);
    // Its node is there and may run it, so it stays; the pod garbage collector would wait for 40 s when the node is gone.
    expect((await podIn(namespace))?.metadata?.uid).toBe(second.metadata?.uid);
    await plane.request('DELETE', '/api/v1/nodes/dead');
    await replaced(namespace, second.metadata?.uid ?? '', 3);
    expect((await read(namespace)).status?.lastExit).toMatchObject({ podUID: second.metadata?.uid });
  });

  it.each([
    { wrong: 'a name of 52 characters', change: { metadata: { name: 'a'.repeat(52) } }, says: '51' },
    { wrong: 'a name with a dot', change: { metadata: { name: 'a.b' } }, says: 'without dots' },
    { wrong: 'an image with a space', change: { spec: { image: 'nginx latest' } }, says: 'spec.image' },
    {
      wrong: 'two restart policies',
      change: {
        spec: {
          image: 'nginx',
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } },
        },
      },
      says: 'template.spec.restartPolicy must be absent',
    },
    {
      wrong: 'an initial delay above the maximum',
      change: { spec: { image: 'nginx', backoff: { initialSeconds: 20, maxSeconds: 10 } } },
      says: 'initialSeconds must not be greater',
    },
  ])('is refused by the API server with $wrong', async ({ change, says }) => {
    const [apiVersion = '', kind = ''] =
      /apiVersion: (\S+)\nkind: (\S+)/.exec(readFileSync(manifest, 'utf8'))?.slice(1) ?? [];
    const body = { apiVersion, kind, metadata: { name: NAME }, spec: { image: 'nginx' }, ...change };
    const { code, stderr } = await plane.kubectl(['create', '--dry-run=server', '-f', '-'], {
      input: JSON.stringify(body),
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain(says);
  });

  it('asked for nothing that it had no right to', async () => {
    const entries = await plane.auditEntries({ user: OPERATOR_USER });
    expect(entries.filter(({ code }) => code === 403)).toEqual([]);
  });
});
