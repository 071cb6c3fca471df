import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { apiVersionOf, refOf } from '#lib/kind/names.ts';
import type { Controller } from '#lib/loop/controller.ts';
import type { Acquired, Leadership } from '#lib/loop/election/leadership.ts';
import type { Source } from '#lib/loop/source/source.ts';
import type { Sources } from '#lib/loop/source/sources.ts';
import type { WatchProblem } from '#lib/loop/source/standing.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/** A kind, everywhere or in one namespace, and the sources that must be filled before its passes begin. */
export interface Gate {
  readonly definition: AnyKindDefinition;
  /** Absent where the kind is worked on everywhere at once. */
  readonly namespace?: string | undefined;
  readonly controller: Controller;
  /** The sources of the kind itself, of its owned and of its read kinds. */
  readonly sources: readonly Source[];
}

/** Options of {@link gatesOf}. */
interface GatesOptions {
  readonly kinds: readonly AnyKindDefinition[];
  readonly sources: Sources;
  /** Undefined for all, by one watch. */
  readonly namespaces: readonly string[] | undefined;
  /** One per kind, in the same order. */
  readonly controllers: readonly Controller[];
}

/** One gate per kind; where namespaces are watched one by one, one per kind and namespace. */
export const gatesOf = ({ kinds, sources, namespaces, controllers }: GatesOptions): readonly Gate[] =>
  controllers.flatMap((controller, index) => {
    const definition = kinds[index] as AnyKindDefinition;
    const { owns, reads = [], scope } = definition;
    const needed = [...new Set([refOf(definition), ...owns, ...reads].map((kind) => sources.of(kind)))];
    const gate = { definition, controller, sources: needed };
    if (namespaces === undefined || scope === 'Cluster') return [gate];
    return namespaces.map((namespace) => ({ ...gate, namespace }));
  });

/** Whether all that a kind needs is there. */
const isFilled = ({ sources, namespace }: Gate): boolean => sources.every((source) => source.isFilled(namespace));

/** @returns true once all that a kind needs is there; false when it was stopped before. Never rejects. */
const filled = async ({ sources, namespace }: Gate): Promise<boolean> =>
  (await Promise.all(sources.map(async (source) => source.synced(namespace)))).every(Boolean);

/** Options of {@link Starter}. */
export interface StarterOptions {
  readonly sources: Sources;
  readonly gates: readonly Gate[];
  readonly log: Logger;
  /** Undefined where none is needed. */
  readonly leadership: Leadership | undefined;
  /** Called when the readiness has changed. */
  readonly onReadiness: (isReady: boolean) => void;
}

const kindOf = ({ definition }: Gate): string => `${definition.kind}.${apiVersionOf(definition)}`;

/** A failing watch, for the log. */
const described = ({ trouble, ...watch }: WatchProblem): object => ({
  ...watch,
  ...(trouble && { reason: trouble.reason }),
});

/**
 * Starts the kinds of a loop, each when all its sources are filled, and reports whether this process is ready.
 *
 * Flow: `start` → the sources of a kind are filled → leadership → the writes of the last leader are in the caches → its
 * controller works.
 *
 * Guarantees: a kind waits only for its own sources and the lease. Changes of readiness are in the log.
 */
export class Starter {
  readonly #options: StarterOptions;
  /** By source and namespace: whether it includes the writes of the last leader. */
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
    return !this.#isStopped && sources.isSettled && !sources.isUnfit;
  }

  /** @returns when it is ready, leads, and works on all that is filled; or is stopped */
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
    const without = sources.problems.map(described);
    log.info({ kinds, ...(without.length > 0 && { without }) }, 'caches filled, loop started');
  }

  /** Looks whether the readiness has changed. */
  look(): void {
    const { isReady } = this;
    if (isReady === this.#wasReady || this.#isStopped) return;
    this.#wasReady = isReady;
    const { log, sources, onReadiness } = this.#options;
    const without = sources.problems.map(described);
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
    const leading = await this.#leading();
    if (this.#isStopped || !(await this.#isFresh(gate, leading)) || this.#isStopped) return;
    gate.controller.start(gate.namespace);
    this.#working.add(gate);
    if (!this.#isStarted) return;
    const where = gate.namespace === undefined ? {} : { namespace: gate.namespace };
    this.#options.log.info({ kind: kindOf(gate), ...where }, 'caches filled, this kind is worked on, too');
  }

  /** @returns undefined when no leadership is needed, or at `stop` */
  async #leading(): Promise<Acquired | undefined> {
    return (await Promise.race([this.#options.leadership?.acquired, this.#stopping.promise])) ?? undefined;
  }

  /** No write starts before the caches include the writes of the last leader. */
  async #isFresh({ sources, namespace }: Gate, leading: Acquired | undefined): Promise<boolean> {
    if (leading === undefined) return true;
    const answers = sources.map(async (source) => this.#freshOf(source, { ...leading, namespace }));
    return (await Promise.all(answers)).every(Boolean);
  }

  /** Kinds share sources: each is checked once. */
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
