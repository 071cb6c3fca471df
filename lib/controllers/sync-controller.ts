import type { ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import type { Actor, ActorStep } from './actor.ts';
import type { ActorContext } from './context.ts';

/** The next write of a controller. */
export interface Write {
  /** The description of the write for the label of the step, such as `create pod for default/web-7d9c`. */
  readonly label: string;
  readonly request: ServerRequest;
  /** The earliest time of the write, in epoch milliseconds. Only the time of the first write of a sync counts. */
  readonly notBefore?: number | undefined;
}

/** The writes of a part of a sync, and the result of this part. */
export type Writes<T> = Generator<Write, T, ServerResponse>;

/** The result of the sync of a key. An empty result means success and no planned sync. */
export interface SyncResult {
  /**
   * Whether the sync failed. The controller repeats a failed sync that has sent a write, at `again` or after a delay that grows
   * with each failure. If no object of the server changed during the sync, the controller also waits for a change.
   */
  readonly failed?: boolean;
  /** The time of the next sync if no object changes before, in epoch milliseconds. After a failure, the time of the retry. */
  readonly again?: number;
  /** The subject of the next sync in words, such as `progress of default/web`. */
  readonly why?: string;
}

/**
 * One sync of a key, with its writes in the order of the real controller. The generator yields each write and receives the
 * response. Before its first write, the generator has no side effects. `steps()` can therefore run the generator up to this
 * write.
 */
export type Sync = Writes<SyncResult>;

interface SyncControllerOptions {
  readonly name: string;
  readonly context: ActorContext;
  readonly sync: (key: string) => Sync;
  /** Returns the faults that may happen to a key, and the steps that end such faults. */
  readonly extraSteps?: (key: string) => readonly ActorStep[];
}

/**
 * A sync between two of its writes. The generator works with the objects that it has read, even if these objects change in the
 * meantime.
 */
interface Flight {
  readonly sync: Sync;
  readonly since: string;
  next: Write;
}

interface Hold {
  failures: number;
  until: number;
  /**
   * The resource version of the server after a failed sync that changed no object. While the version is the same, a retry would
   * fail again, so the sync has no step.
   */
  version?: string | undefined;
}

/**
 * The delay before a retry, in milliseconds.
 *
 * @see k8s.io/client-go v0.36.4 util/workqueue/default_rate_limiters.go (`DefaultTypedControllerRateLimiter`)
 */
const backoffMs = (failures: number): number => Math.min(5 * 2 ** (failures - 1), 1_000_000);

/**
 * A controller with a queue of keys. Each step makes at most one write. The controller syncs a key again after a change (`mark`,
 * `touch`), for a retry, or at the time in `again`.
 */
export class SyncController implements Actor {
  readonly name: string;
  readonly #context: ActorContext;
  readonly #sync: (key: string) => Sync;
  readonly #extraSteps: ((key: string) => readonly ActorStep[]) | undefined;
  readonly #dirty = new Set<string>();
  readonly #steps = new Map<string, readonly ActorStep[]>();
  readonly #flights = new Map<string, Flight>();
  readonly #holds = new Map<string, Hold>();
  readonly #due = new Map<string, number>();
  #list: readonly ActorStep[] = [];
  /** Keys with steps, sorted; undefined after the set of these keys has changed. */
  #order: readonly string[] | undefined;

  constructor({ name, context, sync, extraSteps }: SyncControllerOptions) {
    this.name = name;
    this.#context = context;
    this.#sync = sync;
    this.#extraSteps = extraSteps;
  }

  /**
   * Queues a key because one of its objects has changed, even if a retry is pending.
   *
   * @param due - the earliest time of the sync, in epoch milliseconds; after several calls, the smallest value counts
   */
  mark(key: string, due?: number): void {
    this.#dirty.add(key);
    if (due !== undefined) this.#due.set(key, Math.min(due, this.#due.get(key) ?? due));
    const hold = this.#holds.get(key);
    if (!hold) return;
    hold.until = 0;
    hold.version = undefined;
  }

  /** Queues the key of a deleted object without delay. */
  forget(key: string): void {
    this.#due.delete(key);
    this.mark(key);
  }

  /** Queues a key because another object, on which the sync depends, has changed. A pending retry keeps its time. */
  touch(key: string): void {
    this.#dirty.add(key);
  }

  steps(): readonly ActorStep[] {
    const { resourceVersion } = this.#context.server;
    for (const [key, { version }] of this.#holds) {
      if (version !== undefined && version !== resourceVersion) this.#dirty.add(key);
    }
    if (this.#dirty.size === 0) return this.#list;
    let isSame = true;
    for (const key of this.#dirty) {
      const step = this.#stepOf(key, resourceVersion);
      const steps = [...(step ? [step] : []), ...(this.#extraSteps?.(key) ?? [])];
      if (this.#keep(key, steps)) isSame = false;
    }
    this.#dirty.clear();
    if (!isSame) this.#list = this.#listed();
    return this.#list;
  }

  /** Stores the steps of a key. @returns whether the list of all steps may have changed */
  #keep(key: string, steps: readonly ActorStep[]): boolean {
    const isKnown = this.#steps.has(key);
    if (!isKnown && steps.length === 0) return false;
    if (isKnown !== steps.length > 0) this.#order = undefined;
    if (steps.length > 0) this.#steps.set(key, steps);
    else this.#steps.delete(key);
    return true;
  }

  #listed(): readonly ActorStep[] {
    this.#order ??= [...this.#steps.keys()].toSorted(byText);
    const list: ActorStep[] = [];
    for (const key of this.#order) list.push(...(this.#steps.get(key) ?? []));
    return [...list, ...this.#restartStep()];
  }

  memory(): unknown {
    const pending = [...this.#flights].map(([key, { next }]) => [key, next.label]);
    const held = [...this.#holds].map(([key, { failures, until }]) => [key, [failures, until]]);
    // Fingerprints of states compare times in RFC 3339 relative to the current time.
    const due = [...this.#due].map(([key, ms]) => [key, new Date(ms).toISOString()]);
    if (pending.length + held.length + due.length === 0) return undefined;
    return { pending: Object.fromEntries(pending), held: Object.fromEntries(held), due: Object.fromEntries(due) };
  }

  #stepOf(key: string, resourceVersion: string): ActorStep | undefined {
    const flight = this.#flights.get(key);
    const run = (): void => this.#run(key);
    if (flight) return { label: `${this.name}: ${flight.next.label}`, run };
    const hold = this.#holds.get(key);
    if (hold?.version === resourceVersion) return undefined;
    const first = this.#sync(key).next();
    if (first.done !== true) {
      const { label, notBefore: due = 0 } = first.value;
      const notBefore = Math.max(this.#waitOf(key), due);
      return { label: `${this.name}: ${label}`, ...(notBefore > this.#context.now() && { notBefore }), run };
    }
    const { again, why = key, failed = false } = first.value;
    if (!failed) {
      this.#holds.delete(key);
      this.#due.delete(key);
    }
    return failed || again === undefined
      ? undefined
      : { label: `${this.name}: look for ${why}`, notBefore: again, run };
  }

  /** The earliest time of the next sync. If both a retry and a delayed sync are pending, the earlier time counts. */
  #waitOf(key: string): number {
    const until = this.#holds.get(key)?.until ?? 0;
    const due = this.#due.get(key) ?? 0;
    return until === 0 || due === 0 ? Math.max(until, due) : Math.min(until, due);
  }

  #run(key: string): void {
    const { server } = this.#context;
    const flight = this.#flights.get(key) ?? this.#start(key);
    this.#due.delete(key);
    this.#dirty.add(key);
    if (!flight) return;
    const response = server.handle(flight.next.request);
    const { value, done } = flight.sync.next(response);
    if (done !== true) {
      flight.next = value;
      this.#flights.set(key, flight);
      return;
    }
    this.#flights.delete(key);
    this.#end(key, value, flight.since === server.resourceVersion);
  }

  #start(key: string): Flight | undefined {
    const sync = this.#sync(key);
    const first = sync.next();
    if (first.done === true) return undefined;
    return { sync, since: this.#context.server.resourceVersion, next: first.value };
  }

  #end(key: string, { failed = false, again }: SyncResult, unchanged: boolean): void {
    if (!failed) {
      this.#holds.delete(key);
      return;
    }
    const failures = (this.#holds.get(key)?.failures ?? 0) + 1;
    const version = unchanged ? this.#context.server.resourceVersion : undefined;
    this.#holds.set(key, { failures, until: again ?? this.#context.now() + backoffMs(failures), version });
  }

  /**
   * The fault in which the controller restarts. The restart discards pending writes and retries, and queues their keys. There is
   * no such step while no write is pending.
   */
  #restartStep(): readonly ActorStep[] {
    if (this.#flights.size === 0) return [];
    const run = (): void => {
      for (const key of [...this.#flights.keys(), ...this.#holds.keys()]) this.#dirty.add(key);
      this.#flights.clear();
      this.#holds.clear();
    };
    return [{ label: `${this.name}: restart`, isFault: true, run }];
  }
}
