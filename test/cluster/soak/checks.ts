import { kinds } from '#apps/kinds.ts';
import { readLive } from '#lib/foresight/cluster/read-live.ts';
import { planChange } from '#lib/foresight/plan/plan-change.ts';
import { createKubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import type { SoakSample } from '#test/campaign/soak/segment.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { soakKinds } from './kinds.ts';
import type { OperatorPair, Replica } from './operator-pair.ts';
import { scrape, seriesOf } from './samples.ts';

interface ReportedResource {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

const SHOWN = 5;

/** A sentence with the number of the findings and the first of them; none without findings. */
export const summary = (what: string, findings: readonly string[]): readonly string[] =>
  findings.length === 0 ? [] : [`${findings.length} ${what}: ${findings.slice(0, SHOWN).join('; ')}`];

const listed = async <T>({ request }: ControlPlane, path: string): Promise<readonly T[]> => {
  const { status, body } = await request<{ items: T[] }>('GET', path);
  if (status === 200) return body.items;
  throw new Error(`Cannot list ${path}: ${status}`);
};

/** All resources of the soak, by kind. */
const resourcesIn = async (plane: ControlPlane) =>
  Promise.all(
    soakKinds.map(async ({ apiVersion, kind, plural }) => ({
      kind,
      items: await listed<ReportedResource>(plane, `/apis/${apiVersion}/${plural}`),
    })),
  );

/** The resources whose status is not about their spec, or that are stalled. */
export const staleResources = async (plane: ControlPlane): Promise<readonly string[]> =>
  (await resourcesIn(plane)).flatMap(({ kind, items }) =>
    items.flatMap(({ metadata, status }) => {
      const name = `${kind} ${metadata.namespace}/${metadata.name}`;
      const stalled = status?.conditions?.find(({ type, status: value }) => type === 'Stalled' && value === 'True');
      if (stalled) return [`${name} is stalled: ${stalled.reason}`];
      return status?.observedGeneration === metadata.generation ? [] : [`${name} has an old status`];
    }),
  );

/** The number of resources of the soak. */
export const countResources = async (plane: ControlPlane): Promise<number> =>
  (await resourcesIn(plane)).reduce((sum, { items }) => sum + items.length, 0);

/** What an operator with empty memory would write now: nothing, if all children and statuses are as the functions want them. */
export const missingWrites = async (plane: ControlPlane, namespaces: readonly string[]): Promise<readonly string[]> => {
  const api = createKubeClient(await loadCredentials({ env: { KUBECONFIG: plane.kubeconfig } }));
  try {
    const { objects } = await readLive(api, { kinds, namespaces });
    const { writes } = await planChange({ kinds, live: objects, changes: [], now: Date.now() });
    return writes.map((write) => {
      const { action, kind, name, namespace, subresource } = write;
      return [action, kind, `${namespace}/${name}`, subresource ?? ''].join(' ').trim();
    });
  } finally {
    await api.close();
  }
};

/** The label of a collection in metrics: `/apis/apps/v1/deployments` is `deployments.apps`. */
const resourceLabel = (path: string): string => {
  const parts = path.split('/');
  const plural = parts.at(-1) ?? '';
  return parts[1] === 'api' ? plural : `${plural}.${parts[2]}`;
};

/** The caches of a replica that hold another number of objects than the API server. */
export const differentCaches = async (plane: ControlPlane, replica: Replica): Promise<readonly string[]> => {
  const cached = seriesOf(await scrape(replica), 'cdk8s_reconcile_cache_objects');
  const stored = new Map<string, number>();
  for (const [path, query] of replica.queries) {
    const items = await listed(plane, `${path}${query && `?${query}`}`);
    const label = `{resource="${resourceLabel(path)}"}`;
    stored.set(label, (stored.get(label) ?? 0) + items.length);
  }
  const labels = new Set([...cached.keys(), ...stored.keys()]);
  return [...labels].flatMap((label) => {
    const [inCache = 0, inServer = 0] = [cached.get(label), stored.get(label)];
    return inCache === inServer
      ? []
      : [`${replica.name} has ${inCache} objects of ${label}, the API server ${inServer}`];
  });
};

/** The open watches of a replica, sorted. */
export const watchesOf = ({ proxy }: Replica): readonly string[] =>
  proxy
    .streams()
    .map(({ call: { resource, group, namespace } }) => [resource, group, namespace].filter(Boolean).join('.'))
    .toSorted();

/** Watches that are open more than once, or that were not open at the first rest, or that are missing. */
export const wrongWatches = (replica: Replica, first: readonly string[]): readonly string[] => {
  const open = watchesOf(replica);
  const twice = open.filter((name, index) => open[index - 1] === name);
  const more = open.filter((name) => !first.includes(name));
  const missing = first.filter((name) => !open.includes(name));
  const { name } = replica;
  return [
    ...summary(`watches of ${name} twice`, twice),
    ...summary(`new watches of ${name}`, more),
    ...summary(`missing watches of ${name}`, missing),
  ];
};

const HEAP_GROWTH = 1.3;
/** Kept connections and files come and go. */
const MORE_HANDLES = 8;

/** Bounds of the memory, the handles and the queue at the last rest, compared with the first one. */
export const exceededBounds = (first: SoakSample, last: SoakSample): readonly string[] => {
  // More objects need more memory: old revisions and failed pods are kept.
  const most = HEAP_GROWTH * first.heapMiB * Math.max(1, last.objects / first.objects);
  return [
    ...(last.heapMiB > most ? [`the heap has ${last.heapMiB} MiB, expected at most ${most.toFixed(1)}`] : []),
    ...(last.handles > first.handles + MORE_HANDLES
      ? [`${last.handles} handles are open, expected at most ${first.handles + MORE_HANDLES}`]
      : []),
    ...(last.queue > 0 ? [`${last.queue} resources are in the queue, expected none`] : []),
  ];
};

/** Accepted edits in a minute: a quarter of what a loaded machine reaches. */
const EDITS_A_MINUTE = 100;

/** A sentence about a driver with too few accepted edits: what the operators did shows little then. */
export const missingEdits = (edits: number, minutes: number): readonly string[] => {
  const least = EDITS_A_MINUTE * minutes;
  return edits < least ? [`${edits} edits were accepted, expected at least ${least}`] : [];
};

/** Sentences about the processes: unexpected ends, and repairs of caches. */
export const processProblems = ({ unexpectedEnds, repairs }: OperatorPair): readonly string[] => [
  ...unexpectedEnds,
  ...(repairs() > 0 ? [`audits repaired ${repairs()} objects in the caches`] : []),
];
