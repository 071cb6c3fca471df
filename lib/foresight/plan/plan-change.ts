import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ImpureFunctions } from '#lib/foresight/cluster/impure-functions.ts';
import { type LiveObject, nameInWords, type ObjectName } from '#lib/foresight/cluster/live-object.ts';
import { restoreCluster } from '#lib/foresight/cluster/restore.ts';
import type { OutsideRequest } from '#lib/foresight/cluster/virtual-operator.ts';
import type { HttpAnswer } from '#lib/kube/interface/http.ts';
import type { PassFailure } from '#lib/loop/context/hooks.ts';
import { type ChangeResult, makeChange, type PlannedChange } from './change.ts';
import { FIRST_WRITES_MS, type Future, type FutureObserver, type FutureOptions, futureOf } from './future.ts';
import { garbageIn, missingOwnersIn } from './garbage.ts';
import { isSameWrite, type PlannedWrite } from './planned-write.ts';

/** Options for {@link planChange}. */
export interface PlanOptions {
  /** The kinds that the operator runs. */
  readonly kinds: readonly AnyKindDefinition[];
  /** Objects of the cluster or of a dump. The objects need `managedFields`, which name the owners of fields. */
  readonly live: readonly LiveObject[];
  /** The changes, in this order. All of them happen at the time `now`. */
  readonly changes: readonly PlannedChange[];
  /** Namespace of changed objects without a namespace. @default 'default' */
  readonly namespace?: string;
  /** The namespace of the operator, in which `elsewhere()` with `any` allows nothing. @default unknown */
  readonly ownNamespace?: string | undefined;
  /** The current time in epoch milliseconds. */
  readonly now: number;
  /** Virtual time to simulate beyond the first writes, in milliseconds. @default 0: only the first writes */
  readonly horizonMs?: number;
  /** The hosts that the operator allows. Requests to other hosts fail at once. @default all */
  readonly allowedHosts?: readonly string[];
  /** Returns the response to an HTTP request of an effect. @default no responses; the requests wait for ever */
  readonly answer?: (request: OutsideRequest) => HttpAnswer | undefined;
  /** Aborts the planning with the signal's reason. @default never */
  readonly signal?: AbortSignal;
  /**
   * Called for every failed call of a kind's function, and every failed pass. The plan itself contains only the effect of the error
   * on the status of the resource.
   *
   * @default none
   */
  readonly onFailure?: (failure: PassFailure) => void;
  /** Receives the changes, and then the course up to the horizon. It is called only with a horizon. @default none */
  readonly observer?: FutureObserver | undefined;
}

/** The consequences of a change. */
export interface ChangePlan {
  /** Results of the changes in the API server. */
  readonly changes: readonly ChangeResult[];
  /** First writes of the operator, in order, if no other actor does anything. Empty when a change is refused. */
  readonly writes: readonly PlannedWrite[];
  /** Objects that the garbage collector would delete with their owner. */
  readonly garbage: readonly ObjectName[];
  /**
   * HTTP requests of effects that the operator would send within the horizon, or with its first writes without a horizon. Each
   * has its method and origin. The function sends none of them.
   */
  readonly asks: readonly OutsideRequest[];
  /** All writes of the operator within the horizon, if the other actors work, too; present only with a horizon. */
  readonly sequence?: readonly PlannedWrite[];
  /** Sentences about the assumptions of the plan. */
  readonly notes: readonly string[];
}

/**
 * Marks the writes that would happen without the change, too. If nothing changes, marks all writes; otherwise, never marks
 * writes for changed resources. The comparison needs a second run, which is skipped if nothing changes, or all writes are for
 * changed resources.
 */
const marked = async (
  { writes }: Pick<Future, 'writes'>,
  {
    before,
    changes,
    ...course
  }: Parameters<typeof futureOf>[2] & { readonly before: ApiServer; readonly changes: readonly ChangeResult[] },
  options: PlanOptions & FutureOptions,
): Promise<readonly PlannedWrite[]> => {
  if (changes.every(({ outcome }) => outcome === 'unchanged'))
    return writes.map((write) => ({ ...write, alsoWithout: true as const }));
  const concerned = new Set(options.changes.map(({ object: { kind, metadata } }) => `${kind} ${metadata.name}`));
  const isConcerned = ({ owner }: PlannedWrite): boolean => concerned.has(`${owner.kind} ${owner.name}`);
  if (writes.every(isConcerned)) return writes;
  const without = Map.groupBy((await futureOf(before, options, course)).writes, nameInWords);
  return writes.map((write) =>
    !isConcerned(write) && without.get(nameInWords(write))?.some((other) => isSameWrite(write, other))
      ? { ...write, alsoWithout: true as const }
      : write,
  );
};

/** Removes duplicates from the live objects. The last of several objects with the same name stays. */
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

/** A note that names of children are only examples, because they depend on a uid that the real API server will assign. */
const namesNote = (changes: readonly ChangeResult[], writes: readonly PlannedWrite[]): readonly string[] => {
  const created = new Set(changes.filter(({ outcome }) => outcome === 'created').map(nameInWords));
  if (!writes.some(({ action, owner }) => action === 'create' && created.has(nameInWords(owner)))) return [];
  return [
    'a resource that does not exist yet will get another uid than here, so generated names of its children will differ',
  ];
};

/** A note that HTTP requests get no response, while deadlines continue. */
const silenceNote = (asks: readonly OutsideRequest[], { answer }: PlanOptions): readonly string[] => {
  if (asks.length === 0 || answer) return [];
  const urls = [...new Set(asks.map(({ url }) => url))].toSorted().join(', ');
  return [
    `a plan sends no requests to the outside: the sequence has no steps that depend on the answer of ${urls}, and deadlines pass without it`,
  ];
};

/**
 * Computes the consequences of a change: its result in the API server, and the writes of the operator. The function runs the real
 * loop on a virtual API server with the objects of the cluster.
 *
 * Flow: takes the live objects → makes the changes as kubectl does → runs a newly started operator until its first writes are
 * done → with `horizonMs`, runs the operator and the other actors a second time, in virtual time.
 *
 * Guarantees: the function sends no request; equal input gives equal plans.
 *
 * Assumptions: `live` is the state that the operator sees at `now`.
 *
 * Caveats: a running operator also remembers refused writes, abandoned corrections and outcomes of effects. The plan does not
 * have this memory. The mutating webhooks and LimitRanges of the real cluster have no effect in the plan.
 *
 * @throws {UnservedKindError} when the virtual cluster cannot run the kind of a changed resource, or can run none of the kinds
 * @throws {ForesightError} for refused live manifests, a change of a kind that is not served, and a function of a kind that does
 *   not return
 * @example
 * const plan = await planChange({ kinds: [podSet], live, changes: [{ verb: 'apply', object }], now: Date.now() });
 */
export const planChange = async (given: PlanOptions): Promise<ChangePlan> => {
  const { live, now, horizonMs = 0, observer, ...rest } = given;
  const about = given.changes.map(({ object }) => object);
  const restored = restoreCluster({ kinds: given.kinds, live: distinct(live), about, now: () => now });
  const { server, notes } = restored;
  const impure = new ImpureFunctions();
  const kinds = restored.running.map((kind) => impure.over(kind));
  const options = { ...rest, live, now, kinds };
  const before = server.copy(() => now);
  if (horizonMs > 0) observer?.begins(server, () => now);
  const where = options.namespace === undefined ? {} : { namespace: options.namespace };
  const changes = options.changes.map((change) => makeChange(server, change, where));
  if (changes.some(({ outcome }) => outcome === 'refused'))
    return { changes, writes: [], garbage: [], asks: [], notes };
  const known = new Set(garbageIn(before).map(nameInWords));
  const alone = { untilMs: FIRST_WRITES_MS, isAlone: true };
  const future = await futureOf(server, options, alone);
  const writes = await marked(future, { before, changes, ...alone }, options);
  const garbage = garbageIn(future.server).filter((name) => !known.has(nameInWords(name)));
  const said = [...notes, ...namesNote(changes, writes)];
  if (horizonMs <= 0) return { changes, writes, garbage, asks: future.asks, notes: [...said, ...impure.notes] };
  const among = { ...options, elsewhere: missingOwnersIn(before) };
  const course = { untilMs: horizonMs, isAlone: false };
  const later = await futureOf(server, { ...among, observer }, course);
  const sequence = await marked(later, { before, changes, ...course }, among);
  const { asks } = later;
  return { changes, writes, garbage, asks, sequence, notes: [...said, ...silenceNote(asks, options), ...impure.notes] };
};
