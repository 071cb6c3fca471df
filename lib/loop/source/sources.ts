import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { InvariantError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/reference.ts';
import { WatchLists } from '#lib/kube/reflector/watch-list.ts';
import { needsOf, sourceId } from './needs.ts';
import { Source, type SourceSurroundings, type WatchState } from './source.ts';

/** All that a loop watches. */
export interface Sources {
  /**
   * The source of a resource.
   *
   * @throws {InvariantError} for a resource that nobody needs
   */
  of(kind: KindRef): Source;
  /** Begins to list and watch; whoever listens should do so before. */
  start(): void;
  /** @returns true once all caches are filled that the loop needs; false when they were stopped before. Never rejects. */
  synced(): Promise<boolean>;
  /**
   * Makes sure that all caches that the loop needs hold what was there at the moment of this call.
   *
   * @returns true when they do; false when they were stopped before. Never rejects.
   */
  refresh(): Promise<boolean>;
  /** The state of every watch; changes nothing. */
  inspect(): Readonly<Record<string, WatchState>>;
  /** Closes the watches. */
  stop(): Promise<void>;
}

const every = async (answers: readonly Promise<boolean>[]): Promise<boolean> =>
  (await Promise.all(answers)).every(Boolean);

/** Makes the sources for some kinds: one per resource, whoever needs it. */
export const createSources = (definitions: readonly AnyKindDefinition[], around: SourceSurroundings): Sources => {
  const shared = { ...around, watchLists: new WatchLists({ isOff: around.watchLists === false }) };
  const byId = new Map(
    [...needsOf(definitions, { remembersWholes: around.checksFunctions ?? false })].map(
      ([id, need]) => [id, new Source(need, shared)] as const,
    ),
  );
  const all = [...byId.values()];
  const needed = all.filter(({ isOptional }) => !isOptional);
  return {
    of: (kind) => {
      const source = byId.get(sourceId(kind));
      if (!source) throw new InvariantError(`No source for ${sourceId(kind)}, which no kind needs`);
      return source;
    },
    start: () => all.forEach((source) => source.start()),
    synced: async () => every(needed.map(async (source) => source.synced())),
    refresh: async () => every(needed.map(async (source) => source.refresh())),
    inspect: () => Object.assign({}, ...all.map((source) => source.inspect())) as Record<string, WatchState>,
    stop: async () => void (await Promise.all(all.map(async (source) => source.stop()))),
  };
};
