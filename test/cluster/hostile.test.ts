import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { type Manager, startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { casesNow } from '#test/cases.ts';
import { applyObjects } from '#test/cluster/own-operator.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { type Attack, attacks, hostileResult } from '#test/unit/support/hostile.ts';
import { hostilePodSets } from '#test/unit/support/hostile-specs.ts';
import { shelf, shelfThat, strangersPod } from '#test/unit/support/shelf-kind.ts';

/** Number of results of functions, and of specs. */
const CASES = casesNow({ usual: 300, soak: 10_000 }).count;
/** Number of cases in a batch. The next batch starts when all cases of the batch are judged. */
const AT_ONCE = 300;

const USER = 'operator';
const OTHER = 'other';
const shelves = '/apis/demo.example.com/v1/namespaces/default/shelves';
const podSets = '/apis/app.example.com/v1alpha1/namespaces/default/podsets';

/** The attacks in the result of a resource's function, by the resource's name. */
const several = new Map<string, readonly Attack[]>();

const hostileShelf = shelfThat((seen) => {
  const own = several.get(seen.resource.metadata.name);
  return own === undefined ? shelf.desired(seen) : (hostileResult(own) as ReturnType<typeof shelf.desired>);
});

let plane: ControlPlane;
let client: KubeClient;
let manager: Manager;

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

const listed = async (path: string): Promise<readonly Stored[]> =>
  (await plane.request<{ items: Stored[] }>('GET', path)).body.items;

const controlled = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'other', uid: 'someone-else', controller: true };

// Without controllers only the loop and the test write. The loop has every right, so that only its own checks limit it.
beforeAll(async () => {
  const users = [{ name: USER, groups: ['system:masters'] }];
  plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false, users });
  await applyObjects(plane, compileCrd(hostileShelf), compileCrd(podSet));
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  for (const namespace of ['default', OTHER]) {
    if (namespace === OTHER) await plane.kubectl(['create', 'namespace', OTHER]);
    await plane.kubectl(['create', 'serviceaccount', 'default', '--namespace', namespace]);
    await applyObjects(plane, strangersPod('stray', { namespace }));
    await applyObjects(plane, strangersPod('controlled', { namespace, ownerReferences: [controlled] }));
  }
  client = createKubeClient(await loadCredentials({ env: { KUBECONFIG: plane.kubeconfigFor(USER) } }));
  manager = startManager({
    kinds: [hostileShelf, podSet],
    api: client,
    timers: systemTimers,
    random: () => 0.5,
    log: createLogger('silent'),
  });
  await manager.started;
});

afterAll(async () => {
  await manager?.stop();
  await client?.close();
  await plane?.stop();
});

const conditionOf = ({ status }: Stored, type: string) => status?.conditions?.find((one) => one.type === type);

const isLookedAt = ({ metadata, status }: Stored): boolean => status?.observedGeneration === metadata.generation;

const isReady = (stored: Stored): boolean => isLookedAt(stored) && conditionOf(stored, 'Ready')?.status === 'True';

/** Returns the writes of the loop that touch objects of others. */
const overreached = async (): Promise<readonly string[]> => {
  const allowed = new Set(['pods', 'controllerrevisions', 'shelves', 'shelves/status', 'podsets', 'podsets/status']);
  const entries = (await plane.auditEntries({ user: USER })).filter(
    ({ verb }) => !['get', 'list', 'watch'].includes(verb),
  );
  expect(entries.length).toBeGreaterThan(0);
  return entries
    .map((entry) => ({ ...entry, what: [entry.resource, entry.subresource].filter(Boolean).join('/') }))
    .filter(({ what, namespace }) => namespace !== 'default' || !allowed.has(what))
    .map(({ verb, what, namespace, name }) => `${verb} ${what} ${namespace}/${name}`);
};

const idOf = ({ metadata: { namespace, name } }: Stored): string => `${namespace}/${name}`;

/** Checks that pods of others are unchanged, and that every other pod is owned by one of these resources. */
const faultsAmongPods = async (before: readonly Stored[], owners: ReadonlyMap<string, string>): Promise<string[]> => {
  const pods = await listed('/api/v1/pods');
  const known = new Map(before.map((pod) => [idOf(pod), pod.metadata.resourceVersion]));
  const lost = [...known.keys()].filter((id) => !pods.some((pod) => idOf(pod) === id));
  const wrong = pods.filter((pod) => {
    const version = known.get(idOf(pod));
    if (version !== undefined) return version !== pod.metadata.resourceVersion;
    const { namespace, labels = {}, ownerReferences = [] } = pod.metadata;
    const [owner] = ownerReferences;
    const name = owners.get(owner?.uid ?? '');
    const own = [labels['demo.example.com/shelf'], labels['app.example.com/podset']];
    // A pod lacks one of these labels, so an unknown owner must not have the name `undefined`.
    const isLabelled = name !== undefined && own.includes(name);
    return namespace !== 'default' || ownerReferences.length !== 1 || owner?.controller !== true || !isLabelled;
  });
  return [...lost, ...wrong.map(idOf)];
};

const post = async (path: string, object: object) => plane.request<Stored>('POST', path, object);

const shelfNamed = (name: string, books: readonly string[]) => ({
  apiVersion: 'demo.example.com/v1',
  kind: 'Shelf',
  metadata: { name },
  spec: { books },
});

/** Returns the objects that were posted under these names. */
const settled = async (path: string, names: ReadonlySet<string>): Promise<readonly Stored[]> => {
  let mine: readonly Stored[] = [];
  await waitFor(`${names.size} resources to be looked at`, async () => {
    mine = (await listed(path)).filter(({ metadata }) => names.has(metadata.name));
    return mine.every(isLookedAt);
  });
  return mine;
};

const rounds = Array.from({ length: Math.ceil(CASES / AT_ONCE) }, (_, round) => round);

const remove = async (path: string, mine: readonly Stored[]): Promise<void> => {
  for (const { metadata } of mine) await plane.request('DELETE', `${path}/${metadata.name}`);
};

/** Raises the spec of the resource that shares the namespace, and waits until it is fulfilled. */
const neighbourGrows = async (books: number): Promise<void> => {
  const spec = { books: Array.from({ length: books }, (_, book) => `neighbour-book${book === 0 ? '' : `-${book}`}`) };
  await plane.request('PATCH', `${shelves}/neighbour`, { spec }, { contentType: 'application/merge-patch+json' });
  await waitFor('the neighbour to be ready', async () =>
    isReady((await plane.request<Stored>('GET', `${shelves}/neighbour`)).body),
  );
};

describe('a loop with every right on a real API server', () => {
  it(
    'writes nothing outside of namespace, kinds and ownership, whatever functions want, and neighbours converge (R7)',
    async () => {
      const before = await listed('/api/v1/pods');
      const neighbour = await post(shelves, shelfNamed('neighbour', ['neighbour-book']));
      const owners = new Map([[neighbour.body.metadata.uid, 'neighbour']]);
      const all = fc.sample(attacks, CASES);
      for (const round of rounds) {
        const names = new Set<string>();
        for (const [index, own] of all.slice(round * AT_ONCE, (round + 1) * AT_ONCE).entries()) {
          const name = `vandal-${round}-${index}`;
          several.set(name, own);
          names.add(name);
          const { status, body } = await post(shelves, shelfNamed(name, []));
          expect(status).toBe(201);
          owners.set(body.metadata.uid, name);
        }
        await neighbourGrows(1 + (round % 3));
        const mine = await settled(shelves, names);
        expect(mine).toHaveLength(names.size);
        const isRefused = ({ metadata }: Stored): boolean =>
          several.get(metadata.name)?.some((attack) => attack.isRefused) ?? false;
        const stalled = mine.filter(isRefused).map((stored) => conditionOf(stored, 'Stalled'));
        expect(stalled.length).toBeGreaterThan(0);
        expect(stalled.filter((condition) => condition?.status !== 'True')).toEqual([]);
        expect([await overreached(), await faultsAmongPods(before, owners)]).toEqual([[], []]);
        await remove(shelves, mine);
      }
      expect('polluted' in {}).toBe(false);
    },
    CASES * 2000,
  );

  it(
    'writes nothing outside of namespace, kinds and ownership, whatever people write into a PodSet (R7)',
    async () => {
      const before = await listed('/api/v1/pods');
      const owners = new Map<string, string>();
      const all = fc.sample(hostilePodSets, CASES);
      let accepted = 0;
      for (const round of rounds) {
        const names = new Set<string>();
        for (const [index, body] of all.slice(round * AT_ONCE, (round + 1) * AT_ONCE).entries()) {
          const metadata = { ...body.metadata, name: `set-${round}-${index}` };
          const object = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', ...body, metadata };
          const answer = await post(podSets, object);
          // Some of these bodies make the server itself fail with 500.
          expect(answer.status === 201 || answer.status >= 400).toBe(true);
          if (answer.status !== 201) continue;
          names.add(metadata.name);
          owners.set(answer.body.metadata.uid, metadata.name);
        }
        accepted += names.size;
        const mine = await settled(podSets, names);
        expect(mine).toHaveLength(names.size);
        expect([await overreached(), await faultsAmongPods(before, owners)]).toEqual([[], []]);
        await remove(podSets, mine);
      }
      expect(accepted).toBeGreaterThan(CASES / 20);
    },
    CASES * 2000,
  );
});
