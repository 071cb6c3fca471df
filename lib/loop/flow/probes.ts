import type { ApiError } from '#lib/errors.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { type Key, keyOf, namespaceOf } from '#lib/loop/context/key.ts';
import { RecentMap } from '#lib/loop/events/recent-map.ts';
import { ProbeTurns } from './probe-turns.ts';

/** The maximum number of entries in each map of {@link SharedProbes}. */
const KNOWN = 10_000;

/** The state of refused writes that all controllers of a process share. */
export interface SharedProbes {
  readonly turns: ProbeTurns;
  /** Has the key `<namespace>/<kind>` if the API server accepted the last creates of this kind of children in this namespace. */
  readonly accepting: RecentMap<true>;
  /**
   * The refusals of creates in terminating namespaces, by namespace. Until `until`, by `Timers.elapsed`, no create is sent to the
   * namespace.
   */
  readonly ending: RecentMap<{ readonly error: ApiError; readonly until: number }>;
  readonly timers: Pick<Timers, 'elapsed'>;
}

/**
 * The time in which creates in a terminating namespace are refused without a request, in milliseconds. It is short, because
 * another namespace with the same name may be created soon.
 */
const ENDING_MS = 2000;

/** Makes the shared state of the controllers of a process. */
export const sharedProbes = (timers: Timers): SharedProbes => ({
  turns: new ProbeTurns(timers),
  accepting: new RecentMap(KNOWN),
  ending: new RecentMap(KNOWN),
  timers,
});

/** Options of {@link Probes}. */
export interface ProbesOptions extends SharedProbes {
  /** The name of the controller. It distinguishes resources of different kinds that have the same key. */
  readonly name: string;
  readonly wake: (key: Key) => void;
}

/**
 * The state of refusals that one controller uses for all its resources: the turns of retries, the kinds and namespaces in which
 * creates were accepted, and the terminating namespaces.
 */
export class Probes {
  readonly #options: ProbesOptions;

  constructor(options: ProbesOptions) {
    this.#options = options;
  }

  /** Whether a resource may retry a refused write now. If not, `wake` is called when its turn comes. */
  mayProbe(key: Key): boolean {
    const { turns, wake } = this.#options;
    return turns.mayProbe(this.#idOf(key), () => wake(key));
  }

  accepted(): void {
    this.#options.turns.accepted();
  }

  /** Whether the last creates of a kind of children in a namespace were accepted; false if not known. */
  isAccepting(namespace: string, kind: string): boolean {
    return this.#options.accepting.get(`${namespace}/${kind}`) ?? false;
  }

  /** Records whether creates of a kind of children in a namespace were refused. */
  noteCreates(namespace: string, kind: string, { refused }: { readonly refused: boolean }): void {
    const { accepting } = this.#options;
    const where = `${namespace}/${kind}`;
    if (refused) accepting.delete(where);
    else accepting.set(where, true);
  }

  /** Records that a create was refused because its namespace is being deleted. */
  noteEnding(namespace: string, error: ApiError): void {
    const { ending, timers } = this.#options;
    ending.set(namespace, { error, until: timers.elapsed() + ENDING_MS });
  }

  /** @returns the last refusal in a namespace, if the namespace was terminating in the last 2 s; else undefined */
  endingOf(namespace: string): ApiError | undefined {
    const { ending, timers } = this.#options;
    const found = ending.get(namespace);
    return found !== undefined && timers.elapsed() < found.until ? found.error : undefined;
  }

  /** Drops the turn of a resource that no longer exists or needs no turn any more. */
  forget(key: Key): void {
    this.#options.turns.forget(this.#idOf(key));
  }

  #idOf(key: Key): Key {
    return keyOf(namespaceOf(key), `${this.#options.name} ${key}`);
  }
}
