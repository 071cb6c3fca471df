import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { type LiveObject, nameInWords, type ObjectName } from '#lib/foresight/cluster/live-object.ts';
import { restoreCluster } from '#lib/foresight/cluster/restore.ts';
import type { OutsideRequest } from '#lib/foresight/cluster/virtual-operator.ts';
import type { HttpAnswer } from '#lib/kube/http.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { type Change, type ChangeResult, makeChange } from './change.ts';
import { FIRST_WRITES_MS, type Future, futureOf } from './future.ts';
import { garbageIn, missingOwnersIn } from './garbage.ts';
import { isSameWrite, type PlannedWrite } from './planned-write.ts';

/** What a plan is made from. */
export interface PlanOptions {
  /** The kinds that the operator runs. */
  readonly kinds: readonly AnyKindDefinition[];
  /** What is in the cluster, or in a dump of it; with `managedFields`, or nobody knows who owns what. */
  readonly live: readonly LiveObject[];
  /** Made in this order, all at the same moment. */
  readonly changes: readonly Change[];
  /** Of changed objects that name none. @default 'default' */
  readonly namespace?: string;
  /** The present, in epoch milliseconds. */
  readonly now: number;
  /** How far to look beyond the first writes, in milliseconds of virtual time. @default 0, the first writes alone */
  readonly horizonMs?: number;
  /** As the operator was installed with: what asks others fails at once. @default whatever is asked */
  readonly allowedHosts?: readonly string[];
  /** What servers outside of the cluster say. @default nothing: what waits for an answer goes on waiting */
  readonly answer?: (request: OutsideRequest) => HttpAnswer | undefined;
  /** Ends the planning without a plan, with the signal's reason. @default never */
  readonly signal?: AbortSignal;
}

/** What would follow from a change. */
export interface ChangePlan {
  /** What the API server would make of the changes. */
  readonly changes: readonly ChangeResult[];
  /** What the operator would write now, in this order, while nobody else does anything. Empty when a change is refused. */
  readonly writes: readonly PlannedWrite[];
  /** What the garbage collector would take away, as its owner goes. */
  readonly garbage: readonly ObjectName[];
  /** What the operator would ask servers outside, by method and origin, within the horizon. Nothing of it is sent. */
  readonly asks: readonly OutsideRequest[];
  /** With a horizon: what the operator writes within it, from now on, while the rest of the cluster does its work. */
  readonly sequence?: readonly PlannedWrite[];
  /** What was assumed; sentences for people. */
  readonly notes: readonly string[];
}

/** Only when something is written that the change does not concern by name is it worth to look what would happen without it. */
const marked = async (
  future: Future,
  { before, changes }: { readonly before: ApiServer; readonly changes: readonly ChangeResult[] },
  options: PlanOptions,
): Promise<readonly PlannedWrite[]> => {
  if (changes.every(({ outcome }) => outcome === 'unchanged'))
    return future.writes.map((write) => ({ ...write, alsoWithout: true as const }));
  const concerned = new Set(options.changes.map(({ object: { kind, metadata } }) => `${kind} ${metadata.name}`));
  const isConcerned = ({ owner }: PlannedWrite): boolean => concerned.has(`${owner.kind} ${owner.name}`);
  if (future.writes.every(isConcerned)) return future.writes;
  const without = await futureOf(before, options, { untilMs: FIRST_WRITES_MS, isAlone: true });
  return future.writes.map((write) =>
    !isConcerned(write) && without.writes.some((other) => isSameWrite(write, other))
      ? { ...write, alsoWithout: true as const }
      : write,
  );
};

/** What is given as live once more may have several states; the later counts, as with kubectl apply. */
const distinct = (live: readonly LiveObject[]): readonly LiveObject[] => {
  const byName = new Map(
    live.map((object) => {
      const { apiVersion, kind, metadata } = object;
      return [
        `${apiVersion} ${nameInWords({ apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name })}`,
        object,
      ];
    }),
  );
  return [...byName.values()];
};

/** The name of a child is made of the uid of its resource, which the API server draws. */
const namesNote = (changes: readonly ChangeResult[], writes: readonly PlannedWrite[]): readonly string[] => {
  const created = new Set(changes.filter(({ outcome }) => outcome === 'created').map(nameInWords));
  if (!writes.some(({ action, owner }) => action === 'create' && created.has(nameInWords(owner)))) return [];
  return [
    'a resource that does not exist yet will get another uid than here, so generated names of its children will differ',
  ];
};

/** What waits for an answer does not go on, and the clocks of kinds do. */
const silenceNote = (asks: readonly OutsideRequest[], { answer }: PlanOptions): readonly string[] => {
  if (asks.length === 0 || answer) return [];
  const whom = [...new Set(asks.map(({ url }) => url))].toSorted().join(', ');
  return [
    `nobody is asked by a plan, so nothing of what hangs on the answer of ${whom} is in the sequence, and deadlines of kinds pass meanwhile`,
  ];
};

/**
 * Tells what would follow from a change before it is made: what the API server would make of it, and what the operator would
 * write then. It is the loop itself that says so, on a virtual API server with the contents of the cluster.
 *
 * Flow: the live objects → the changes, as kubectl would make them → an operator that has just been started, until only time
 * would bring more → with a horizon, once more with all the others of a cluster, in virtual time.
 *
 * Guarantees: nothing is written or asked anywhere; the same input gives the same plan.
 *
 * Assumptions: `live` is what the operator would see, as of `now`.
 *
 * Caveats: what a running operator has in memory is not known: refusals that it waits for, corrections that it has given up, outcomes of
 * effects. Mutating webhooks and LimitRanges of the real cluster are not asked.
 *
 * @throws {ForesightError} for a kind that the virtual cluster does not serve, and for live manifests that are refused
 * @example
 * const plan = await planChange({ kinds: [podSet], live, changes: [{ verb: 'apply', object }], now: Date.now() });
 */
export const planChange = async (options: PlanOptions): Promise<ChangePlan> => {
  const { kinds, live, now, horizonMs = 0 } = options;
  const { server, notes } = restoreCluster({ kinds, live: distinct(live), now: () => now });
  const before = server.copy(() => now);
  const where = options.namespace === undefined ? {} : { namespace: options.namespace };
  const changes = options.changes.map((change) => makeChange(server, change, where));
  if (changes.some(({ outcome }) => outcome === 'refused'))
    return { changes, writes: [], garbage: [], asks: [], notes };
  const known = new Set(garbageIn(before).map(nameInWords));
  const future = await futureOf(server, options, { untilMs: FIRST_WRITES_MS, isAlone: true });
  const writes = await marked(future, { before, changes }, options);
  const garbage = garbageIn(future.server).filter((name) => !known.has(nameInWords(name)));
  const said = [...notes, ...namesNote(changes, writes)];
  if (horizonMs <= 0) return { changes, writes, garbage, asks: future.asks, notes: said };
  const course = { ...options, elsewhere: missingOwnersIn(before) };
  const { writes: sequence, asks } = await futureOf(server, course, { untilMs: horizonMs, isAlone: false });
  return { changes, writes, garbage, asks, sequence, notes: [...said, ...silenceNote(asks, options)] };
};
