import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { apiVersionOf, refOf } from '#lib/kind/names.ts';
import type { Controller } from '#lib/loop/controller.ts';
import type { Acquired, Leadership } from '#lib/loop/election/leadership.ts';
import type { Source } from '#lib/loop/source/source.ts';
import type { Sources } from '#lib/loop/source/sources.ts';
import type { WatchProblem } from '#lib/loop/source/standing.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/** A kind, in all namespaces or in one, and the sources that must be filled before the passes of the kind begin. */
export interface Gate {
  readonly definition: AnyKindDefinition;
  /** The namespace that is started. Absent when all namespaces are started together. */
  readonly namespace?: string | undefined;
  readonly controller: Controller;
  /** The sources of the kind itself, and of the kinds in its `owns` and `reads`, without those in `elsewhere`. */
  readonly sources: readonly Source[];
  /**
   * The sources of objects elsewhere. The passes begin when the watches are settled, and do not wait until all are filled. After
   * the leadership begins, the passes wait until the filled ones include the writes of the last leader, or are refused. One
   * namespace without rights must not stop the resources of other namespaces. A pass that does not see a child elsewhere cannot
   * do harm. A create finds the existing child, and the loop looks for children of resources that are gone when a watch is filled.
   * A resource whose function looks up an object in a namespace without rights is `Stalled`.
   */
  readonly elsewhere: readonly Source[];
}

/** Options of {@link gatesOf}. */
interface GatesOptions {
  readonly kinds: readonly AnyKindDefinition[];
  readonly sources: Sources;
  /** The watched namespaces. Undefined when one watch covers all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /** The controller of each kind, in the order of `kinds`. */
  readonly controllers: readonly Controller[];
}

/** Makes one gate per kind. If each namespace has its own watch, makes one gate per namespace for each namespaced kind. */
export const gatesOf = ({ kinds, sources, namespaces, controllers }: GatesOptions): readonly Gate[] =>
  controllers.flatMap((controller, index) => {
    const definition = kinds[index] as AnyKindDefinition;
    const { owns, reads = [], scope } = definition;
    const all = new Set([
      ...[refOf(definition), ...owns].map((kind) => sources.of(kind)),
      ...reads.map((kind) => sources.ofRead(kind)),
    ]);
    const sourcesOf = (isElsewhere: boolean): readonly Source[] =>
      [...all].filter(({ kind }) => (kind.elsewhere !== undefined) === isElsewhere);
    const gate = { definition, controller, sources: sourcesOf(false), elsewhere: sourcesOf(true) };
    if (namespaces === undefined || scope === 'Cluster') return [gate];
    return namespaces.map((namespace) => ({ ...gate, namespace }));
  });

const isFilled = ({ sources, elsewhere, namespace }: Gate): boolean =>
  sources.every((source) => source.isFilled(namespace)) && elsewhere.every(({ isSettled }) => isSettled);

/** @returns true once all sources of a gate are filled; false when they were stopped before. Never rejects. */
const filled = async ({ sources, namespace }: Gate): Promise<boolean> =>
  (await Promise.all(sources.map(async (source) => source.synced(namespace)))).every(Boolean);

/** Options of {@link Starter}. */
export interface StarterOptions {
  readonly sources: Sources;
  readonly gates: readonly Gate[];
  readonly log: Logger;
  /** The leadership of this process. Undefined when every process may write. */
  readonly leadership: Leadership | undefined;
  readonly onReadiness: (isReady: boolean) => void;
}

const kindOf = ({ definition }: Gate): string => `${definition.kind}.${apiVersionOf(definition)}`;

const described = ({ trouble, ...watch }: WatchProblem): object => ({
  ...watch,
  ...(trouble && { reason: trouble.reason }),
});

/**
 * Starts the kinds of a loop, each when all its sources are filled, and reports whether this process is ready.
 *
 * Flow: `start` → the sources of a kind are filled → this process leads → the caches include the writes of the last leader → the
 * controller of the kind starts.
 *
 * Guarantees: a kind waits only for its own sources and the lease. The loss of the readiness is logged.
 */
export class Starter {
  readonly #options: StarterOptions;
  /** For each source and namespace, a promise of whether the cache includes the writes of the last leader. */
  readonly #fresh = new Map<Source, Map<string | undefined, Promise<boolean>>>();
  readonly #working = new Set<Gate>();
  readonly #settled = Promise.withResolvers<void>();
  readonly #stopping = Promise.withResolvers<void>();
  #isStarted = false;
  #isStopped = false;
  #wasReady = false;

  constructor(options: StarterOptions) {
    this.#options = options;
  }

  /** See `Manager.isReady`. */
  get isReady(): boolean {
    const { sources } = this.#options;
    return !this.#isStopped && sources.isSettled() && !sources.isUnfit();
  }

  /** Resolves when the process is ready, leads, and has started every kind with filled caches; or after `stop`. */
  async start(): Promise<void> {
    const { gates, log, leadership, sources } = this.#options;
    const opened = new Map(gates.map((gate) => [gate, this.#open(gate)]));
    await Promise.race([this.#settled.promise, this.#stopping.promise]);
    if (this.#isStopped) return;
    if (leadership && !leadership.mayWrite()) log.info({}, 'caches filled, running for leader');
    await this.#leading();
    await Promise.all(gates.filter(isFilled).map(async (gate) => opened.get(gate)));
    if (this.#isStopped) return;
    this.#isStarted = true;
    const kinds = [...new Set([...this.#working].map(kindOf))];
    const without = sources.problems().map(described);
    log.info({ kinds, ...(without.length > 0 && { without }) }, 'caches filled, loop started');
  }

  /** Checks the readiness, and reports a change. Logs the loss of the readiness, and watches that fail. */
  look(): void {
    const { isReady } = this;
    if (isReady === this.#wasReady || this.#isStopped) return;
    this.#wasReady = isReady;
    const { log, sources, onReadiness } = this.#options;
    const without = sources.problems().map(described);
    if (!isReady) log.error({ without }, 'no longer ready: required watches fail in this process');
    else if (without.length > 0) log.warn({ without }, 'ready, without the watches that the API server refuses');
    if (isReady) this.#settled.resolve();
    onReadiness(isReady);
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopping.resolve();
  }

  async #open(gate: Gate): Promise<void> {
    if (!(await filled(gate))) return;
    const settled = Promise.all(gate.elsewhere.map(async (source) => source.settled()));
    await Promise.race([settled, this.#stopping.promise]);
    const leading = await this.#leading();
    if (this.#isStopped || !(await this.#isFresh(gate, leading)) || this.#isStopped) return;
    gate.controller.start(gate.namespace);
    this.#working.add(gate);
    if (!this.#isStarted) return;
    const where = gate.namespace === undefined ? {} : { namespace: gate.namespace };
    this.#options.log.info({ kind: kindOf(gate), ...where }, 'caches filled, this kind is worked on, too');
  }

  /** @returns undefined when every process may write, or after `stop` */
  async #leading(): Promise<Acquired | undefined> {
    return (await Promise.race([this.#options.leadership?.acquired, this.#stopping.promise])) ?? undefined;
  }

  /**
   * Waits until the sources of a gate include the writes of the last leader. Sources of objects elsewhere do not wait for
   * watches that are refused.
   *
   * @returns false when the sources were stopped before
   */
  async #isFresh({ sources, elsewhere, namespace }: Gate, leading: Acquired | undefined): Promise<boolean> {
    if (leading === undefined) return true;
    const home = sources.map(async (source) => this.#freshOf(source, { ...leading, namespace }));
    const away = elsewhere.map(async (source) => this.#freshOf(source, leading));
    return (await Promise.all([...home, ...away])).every(Boolean);
  }

  /**
   * Waits until a source includes the writes of the last leader. Kinds share sources, so each source is checked once, or once per
   * namespace.
   */
  async #freshOf(
    source: Source,
    { aloneSinceMs: sinceMs, namespace }: Acquired & Pick<Gate, 'namespace'>,
  ): Promise<boolean> {
    const byNamespace = this.#fresh.get(source) ?? new Map<string | undefined, Promise<boolean>>();
    this.#fresh.set(source, byNamespace);
    const scope = source.cache.namespaces === undefined ? undefined : namespace;
    const fresh =
      byNamespace.get(scope) ?? source.catchUp({ sinceMs, ...(scope !== undefined && { namespace: scope }) });
    byNamespace.set(scope, fresh);
    return fresh;
  }
}
