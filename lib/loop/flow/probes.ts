import type { ApiError } from '#lib/errors.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { type Key, keyOf, namespaceOf } from '#lib/loop/context/key.ts';
import { RecentMap } from '#lib/loop/events/recent-map.ts';
import { ProbeTurns } from './probe-turns.ts';

/** How many namespaces and kinds are remembered in which creates were accepted last. */
const KNOWN = 10_000;

/** State that all controllers of a process share: turns of retries, and the namespaces in which creates were accepted. */
export interface SharedProbes {
  readonly turns: ProbeTurns;
  readonly accepting: RecentMap<true>;
  /** By namespace: how a create was refused because the namespace ends, and until when no other is sent, by `Timers.elapsed`. */
  readonly ending: RecentMap<{ readonly error: ApiError; readonly until: number }>;
  readonly timers: Pick<Timers, 'elapsed'>;
}

/**
 * For how long creates in a terminating namespace are answered without a request, in milliseconds. It is short, because another
 * namespace of the same name may be created at once.
 */
const ENDING_MS = 2000;

/** The turns of all controllers of a process, and the recently accepted creates. */
export const sharedProbes = (timers: Timers): SharedProbes => ({
  turns: new ProbeTurns(timers),
  accepting: new RecentMap(KNOWN),
  ending: new RecentMap(KNOWN),
  timers,
});

/** Options of {@link Probes}. */
export interface ProbesOptions extends SharedProbes {
  /** The controller's: resources of other kinds may have the same key. */
  readonly name: string;
  readonly wake: (key: Key) => void;
}

/** One controller's knowledge of refusals beyond one resource: the turns of retries, and where a first create goes alone. */
export class Probes {
  readonly #options: ProbesOptions;

  constructor(options: ProbesOptions) {
    this.#options = options;
  }

  /** Whether a resource may try again now; if not, it is woken when its turn comes. */
  mayProbe(key: Key): boolean {
    const { turns, wake } = this.#options;
    return turns.mayProbe(this.#idOf(key), () => wake(key));
  }

  /** A retry was accepted. */
  accepted(): void {
    this.#options.turns.accepted();
  }

  /** Whether the last creates of a kind in the namespace of a resource were accepted; false before the first. */
  isAccepting(key: Key, kind: string): boolean {
    return this.#options.accepting.get(`${namespaceOf(key)}/${kind}`) ?? false;
  }

  /** Records the outcomes of creates. */
  noteCreates(key: Key, kind: string, { refused }: { readonly refused: boolean }): void {
    const { accepting } = this.#options;
    const where = `${namespaceOf(key)}/${kind}`;
    if (refused) accepting.delete(where);
    else accepting.set(where, true);
  }

  /** Notes that the namespace of a resource ends: a create in it was refused for that reason. */
  noteEnding(key: Key, error: ApiError): void {
    const { ending, timers } = this.#options;
    ending.set(namespaceOf(key), { error, until: timers.elapsed() + ENDING_MS });
  }

  /** The answer to a create in a namespace that was found to end a moment ago. */
  endingOf(key: Key): ApiError | undefined {
    const { ending, timers } = this.#options;
    const found = ending.get(namespaceOf(key));
    return found !== undefined && timers.elapsed() < found.until ? found.error : undefined;
  }

  /** A resource is gone, or needs no turn any more. */
  forget(key: Key): void {
    this.#options.turns.forget(this.#idOf(key));
  }

  #idOf(key: Key): Key {
    return keyOf(namespaceOf(key), `${this.#options.name} ${key}`);
  }
}
