import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { InvariantError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { WatchLists } from '#lib/kube/reflector/watch-list.ts';
import { type NeedsOptions, needsOf, readSourceId, sourceId } from './needs.ts';
import { Source } from './source.ts';
import type { WatchProblem, WatchState } from './standing.ts';
import type { SourceSurroundings } from './surroundings.ts';

/** All sources of a loop. */
export interface Sources {
  /**
   * The source of the resources of a kind, or of a kind in `owns`.
   *
   * @throws {InvariantError} for a kind that no definition needs
   */
  of(kind: KindRef): Source;
  /**
   * The source of a kind in `reads`.
   *
   * @throws {InvariantError} for a kind that no definition reads
   */
  ofRead(kind: KindRef): Source;
  /** Begins to list and watch. Listeners should be registered before this call. */
  start(): void;
  /** Whether each watch that the loop needs has either filled its cache, or failed for a cause that every replica shares. */
  isSettled(): boolean;
  /** Whether a watch that the loop needs has failed for two minutes, for a cause that another replica may not have. */
  isUnfit(): boolean;
  /** The watches that the loop needs and that fail, or have not filled the cache yet. */
  problems(): readonly WatchProblem[];
  /** @returns true once all caches that the loop needs are filled; false when the sources were stopped before. Never rejects. */
  synced(): Promise<boolean>;
  /** Lists all objects again after a restore of the storage of the API server; see `Source.isDoubted`. */
  startAnew(): void;
  inspect(): Readonly<Record<string, WatchState>>;
  stop(): Promise<void>;
}

const needsOptions = ({ checksFunctions = false, ...limits }: SourceSurroundings): NeedsOptions => ({
  remembersWholes: checksFunctions,
  readsOnDemand: true,
  maxResourceBytes: limits.maxResourceBytes ?? Infinity,
  maxResourcesBytes: limits.maxResourcesBytes ?? Infinity,
});

/**
 * Makes the sources for some kinds: one for each entry of {@link needsOf}.
 *
 * @param onStanding - called when `isSettled`, `isUnfit`, `problems`, or the answer of `Source.isDoubted` may have changed
 */
export const createSources = (
  definitions: readonly AnyKindDefinition[],
  around: SourceSurroundings,
  onStanding?: () => void,
): Sources => {
  const shared = { ...around, watchLists: new WatchLists({ isOff: around.watchLists === false }) };
  const byId = new Map(
    [...needsOf(definitions, needsOptions(around))].map(
      ([id, need]) => [id, new Source(need, shared, onStanding)] as const,
    ),
  );
  const all = [...byId.values()];
  for (const { kind, cache } of all) {
    // Look-ups elsewhere have a cache of their own, which must contain own writes immediately, too.
    const lookedUp = byId.get(readSourceId({ ...kind, elsewhere: {} }))?.cache;
    if (lookedUp !== cache && lookedUp !== undefined) cache.mirrorTo(lookedUp);
  }
  const needed = all.filter(({ isOptional }) => !isOptional);
  const called = (id: string): Source => {
    const source = byId.get(id);
    if (!source) throw new InvariantError(`No source for ${id}, which no kind needs`);
    return source;
  };
  return {
    of: (kind) => called(sourceId(kind)),
    ofRead: (kind) => called(readSourceId(kind)),
    start: () => all.forEach((source) => source.start()),
    isSettled: () => needed.every(({ isSettled }) => isSettled),
    isUnfit: () => needed.some(({ isUnfit }) => isUnfit),
    problems: () => needed.flatMap(({ problems }) => problems),
    synced: async () => (await Promise.all(needed.map(async (source) => source.synced()))).every(Boolean),
    startAnew: () => all.forEach((source) => source.startAnew()),
    inspect: () => Object.assign({}, ...all.map((source) => source.inspect())) as Record<string, WatchState>,
    stop: async () => void (await Promise.all(all.map(async (source) => source.stop()))),
  };
};
