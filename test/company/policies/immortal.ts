import { waitFor } from '#test/control-plane/poll.ts';
import { type Hook, writtenPods } from './hooks.ts';
import { mutators } from './mutators.ts';
import { ask, onSite, type Site } from './site.ts';

interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly containers: readonly { readonly name: string; readonly image: string }[] };
  readonly status: { readonly phase: string };
}

const IMMORTAL = '/apis/immortalcontainer.flugel.it/v1alpha1';

const make = async ({ plane }: Site, namespace: string, spec: object): Promise<Pod> => {
  await ask(plane, 'POST', `${IMMORTAL}/namespaces/${namespace}/immortalcontainers`, {
    apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
    kind: 'ImmortalContainer',
    metadata: { name: 'main' },
    spec: { image: 'nginx:1', backoff: { initialSeconds: 0, maxSeconds: 1 }, ...spec },
  });
  return another({ plane, namespace, than: '' });
};

const REPLACED_MS = 60_000;

interface Question {
  readonly plane: Site['plane'];
  readonly namespace: string;
  /** The uid of the previous pod. */
  readonly than: string;
}

/** Waits for a running pod. */
const another = async ({ plane, namespace, than }: Question): Promise<Pod> => {
  let found: Pod | undefined;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const resources = `${IMMORTAL}/namespaces/${namespace}/immortalcontainers`;
  try {
    await waitFor(
      'another pod',
      async () => {
        const { items } = await ask<{ items: readonly Pod[] }>(plane, 'GET', pods);
        found = items.find(({ metadata, status }) => metadata.uid !== than && status.phase === 'Running');
        return found !== undefined;
      },
      { timeoutMs: REPLACED_MS },
    );
  } catch (cause) {
    const there = [await ask(plane, 'GET', pods), await ask(plane, 'GET', resources)];
    throw new Error(`no other pod in ${namespace}: ${JSON.stringify(there)}`, { cause });
  }
  return found as Pod;
};

const stateOf = (name: string): object =>
  name === 'acontainer'
    ? { terminated: { exitCode: 0, reason: 'Completed' } }
    : { running: { startedAt: new Date().toISOString() } };

/** Ends the main container while the sidecar, and so the pod, keeps running. */
const endMain = async ({ plane }: Site, namespace: string, { metadata, spec }: Pod): Promise<void> => {
  const containerStatuses = spec.containers.map(({ name, image }) => ({
    name,
    image,
    imageID: image,
    ready: name !== 'acontainer',
    restartCount: 0,
    state: stateOf(name),
  }));
  const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}/status`;
  await ask(plane, 'PATCH', path, { status: { phase: 'Running', containerStatuses } });
};

/** AlwaysPullImages, enabled after the pod was created: each write changes an immutable field. */
const pulled: Hook = { ...mutators['pullPolicy'], rules: [writtenPods] };

/** An ImmortalContainer with an injected sidecar, and with a policy that refuses in-place image updates. */
export const immortal = async (): Promise<string> =>
  onSite(async (site) => {
    const { plane, hooks } = site;
    const { sidecarFirst = {} } = mutators;
    await hooks.install({ sidecarFirst });
    const meshed = await hooks.namespace('sidecarFirst');
    const first = await make(site, meshed, { restartPolicy: 'Never' });
    if (first.spec.containers[0]?.name !== 'mesh-proxy') throw new Error('no sidecar was injected');
    const endedAt = Date.now();
    await endMain(site, meshed, first);
    await another({ plane, namespace: meshed, than: first.metadata.uid });
    const replacedMs = Date.now() - endedAt;
    const namespace = await hooks.namespace('pulled');
    const before = await make(site, namespace, { updatePolicy: 'InPlace' });
    await hooks.install({ pulled });
    const editedAt = Date.now();
    await ask(plane, 'PATCH', `${IMMORTAL}/namespaces/${namespace}/immortalcontainers/main`, {
      spec: { image: 'nginx:2' },
    });
    const after = await another({ plane, namespace, than: before.metadata.uid });
    if (after.spec.containers[0]?.image !== 'nginx:2') throw new Error('the other pod runs the old image');
    return `replaced ${replacedMs} ms after the main container ended beside a sidecar; ${Date.now() - editedAt} ms after an image was refused in place`;
  });
