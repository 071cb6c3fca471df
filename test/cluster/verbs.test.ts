import { run } from 'cdk8s-reconcile/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { adopt, apply, keep, release, remove } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { bookPod, type ShelfSeen, shelf } from '#test/unit/support/shelf-kind.ts';

const WEARS = { book: 'yes' };
const OURS = 'demo.example.com/shelf';

/** A shelf with this book needs another pod before it may be deleted. */
const SWEPT = 'swept';

/** Makes its books, adopts pods with the label, releases pods without it, and cleans up at the end. */
const keeper: AnyKindDefinition = defineKind({
  ...shelf,
  selector: () => WEARS,
  desired: ({ resource, children, orphans }: ShelfSeen) => {
    const mine = children.of(Pod);
    const names = new Set(mine.map(({ metadata }) => metadata?.name));
    const missing = resource.spec.books.filter((name) => !names.has(name));
    return {
      children: [
        ...missing.map((name) => apply({ ...bookPod(name), metadata: { name, labels: WEARS } })),
        ...mine.map((pod) => (pod.metadata?.labels?.['book'] === 'yes' ? keep(pod) : release(pod))),
        ...orphans.of(Pod).map(adopt),
      ],
      status: { count: mine.length },
      state: ready('Kept', 'the books are kept'),
    };
  },
  finalize: ({ resource, children }: ShelfSeen) => ({
    children: [
      ...children.of(Pod).map((pod) => remove(pod, 'Cleared')),
      ...(resource.spec.books.includes(SWEPT) ? [apply(bookPod('sweeper'))] : []),
    ],
    status: { count: 0 },
    state: progressing('Clearing', 'the shelf is cleared'),
  }),
});

let plane: ControlPlane;
const ending = new AbortController();
let running: Promise<void>;

const send = async (object: object): Promise<void> => {
  const { code, stderr } = await plane.kubectl(['apply', '-f', '-'], { input: JSON.stringify(object) });
  expect(`${code} ${stderr}`).toBe('0 ');
};

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await send(compileCrd(keeper));
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  const env = { KUBECONFIG: plane.kubeconfig, HEALTH_PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'silent' };
  running = run({ kinds: [keeper], env, signal: ending.signal });
});

afterAll(async () => {
  ending.abort();
  await running;
  await plane?.stop();
});

interface Meta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly { readonly name: string }[];
}

const podsIn = async (namespace: string): Promise<readonly Meta[]> => {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  return (await plane.request<{ items: { metadata: Meta }[] }>('GET', path)).body.items.map(({ metadata }) => metadata);
};

interface Shelf {
  readonly metadata: Meta;
  readonly status?: { readonly conditions?: readonly { type: string; status: string; reason: string }[] };
}

const shelvesOf = (namespace: string): string => `/apis/demo.example.com/v1/namespaces/${namespace}/shelves`;

const standingIn = async (namespace: string): Promise<Shelf | undefined> =>
  (await plane.request<{ items: Shelf[] }>('GET', shelvesOf(namespace))).body.items[0];

const shelfIn = async (namespace: string): Promise<Meta | undefined> => (await standingIn(namespace))?.metadata;

const declared = async (books: readonly string[]): Promise<string> => {
  const namespace = await plane.createNamespace('verbs');
  await send({
    apiVersion: 'demo.example.com/v1',
    kind: 'Shelf',
    metadata: { name: 'shelf', namespace },
    spec: { books },
  });
  await waitFor('the books to stand', async () => (await podsIn(namespace)).length === books.length);
  await waitFor('the finalizer to be there', async () => (await shelfIn(namespace))?.finalizers !== undefined);
  return namespace;
};

const discard = async (namespace: string, cascade: string): Promise<void> => {
  await plane.kubectl(['-n', namespace, 'delete', 'shelf', 'shelf', '--wait=false', `--cascade=${cascade}`]);
  await waitFor('the shelf to be gone', async () => (await shelfIn(namespace)) === undefined);
};

describe('finalize()', () => {
  it.each(['background', 'foreground'])(
    'finalize() clears up and lets the resource go when it is deleted in the %s',
    async (cascade) => {
      const namespace = await declared(['a', 'b']);
      expect((await shelfIn(namespace))?.finalizers).toEqual(['demo.example.com/cdk8s-reconcile']);
      await discard(namespace, cascade);
      expect(await podsIn(namespace)).toEqual([]);
    },
  );

  it('finalize() deletes nothing when the children are to stay', async () => {
    const namespace = await declared(['a', 'b']);
    await discard(namespace, 'orphan');
    const pods = await podsIn(namespace);
    expect(pods.map(({ name, ownerReferences = [] }) => [name, ownerReferences.length])).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
  });

  it('finalize() is not in the way when the namespace is deleted', async () => {
    const namespace = await declared(['a']);
    await plane.kubectl(['delete', 'namespace', namespace, '--wait=false']);
    await waitFor('the namespace to be gone', async () => {
      const { code } = await plane.kubectl(['get', 'namespace', namespace]);
      return code !== 0;
    });
    expect(await shelfIn(namespace)).toBeUndefined();
  });
});

describe('finalize() in a namespace that is being deleted', () => {
  it('finalize() makes the resource Stalled when it needs a new child there, and the way out in its message works', async () => {
    const namespace = await declared([SWEPT]);
    await plane.kubectl(['delete', 'namespace', namespace, '--wait=false']);
    await waitFor('the shelf to be stalled', async () => {
      const stalled = (await standingIn(namespace))?.status?.conditions?.find(({ type }) => type === 'Stalled');
      return stalled?.status === 'True' && stalled.reason === 'NamespaceTerminating';
    });
    const merge = { contentType: 'application/merge-patch+json' };
    await plane.request('PATCH', `${shelvesOf(namespace)}/shelf`, { metadata: { finalizers: null } }, merge);
    await waitFor('the shelf to be gone', async () => (await shelfIn(namespace)) === undefined);
    expect(await shelfIn(namespace)).toBeUndefined();
  });
});

describe('adoptChild() and releaseChild()', () => {
  it('adoptChild() adopts a pod without a controller, and releaseChild() releases it when its label is removed', async () => {
    const namespace = await declared([]);
    const labels = { ...WEARS, their: 'label' };
    await send({ ...bookPod('stray'), metadata: { name: 'stray', namespace, labels } });
    const stray = async (): Promise<Meta | undefined> => (await podsIn(namespace))[0];
    await waitFor('the pod to be adopted', async () => (await stray())?.ownerReferences?.[0]?.name === 'shelf');
    const adopted = await stray();
    expect(adopted?.labels).toEqual({ ...labels, [OURS]: 'shelf' });
    await plane.kubectl(['-n', namespace, 'label', 'pod', 'stray', 'book-']);
    await waitFor('the pod to be released', async () => (await stray())?.ownerReferences === undefined);
    expect(await stray()).toMatchObject({ uid: adopted?.uid, labels: { their: 'label' } });
    expect((await stray())?.labels).toEqual({ their: 'label' });
  });
});

describe('children that come back without their owner', () => {
  it('are taken in by a kind that knows nothing of it, and what merely looks like them is not', async () => {
    const namespace = await declared([]);
    const labels = { ...WEARS, [OURS]: 'shelf' };
    const { resourceVersion: before } = (await shelfIn(namespace)) ?? {};
    const alike = { name: 'alike', namespace, labels: { [OURS]: 'shelf' } };
    await send({ ...bookPod('alike'), metadata: alike });
    const annotations = { 'cdk8s-reconcile/intent': 'x7k2p9dqzt' };
    await send({ ...bookPod('ours'), metadata: { name: 'ours', namespace, labels, annotations } });
    const ownersOf = async (name: string) =>
      (await podsIn(namespace)).find((pod) => pod.name === name)?.ownerReferences;
    await waitFor('the pod to be taken in', async () => (await ownersOf('ours'))?.[0]?.name === 'shelf');
    await waitFor('the status to count it', async () => (await shelfIn(namespace))?.resourceVersion !== before);
    expect(await ownersOf('alike')).toBeUndefined();
    expect((await podsIn(namespace)).map(({ name }) => name)).toEqual(['alike', 'ours']);
  });
});

describe('dropFinalizer()', () => {
  it('dropFinalizer() frees a resource whose spec the schema does not allow any more', async () => {
    const namespace = await declared(['a']);
    const spec = s.object({ books: s.int32(), added: s.string() });
    await send(compileCrd({ ...keeper, spec }));
    await discard(namespace, 'background');
    expect(await podsIn(namespace)).toEqual([]);
  });
});
