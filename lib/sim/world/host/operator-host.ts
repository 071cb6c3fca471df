import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { HttpAnswer, HttpRequest } from '#lib/kube/interface/http.ts';
import type { Manager, ManagerOptions, ManagerState } from '#lib/loop/manager/manager.ts';
import { kubeApiOver } from '#lib/sim/world/api/kube-api.ts';
import { Link } from '#lib/sim/world/link/link.ts';
import type { Outside } from '#lib/sim/world/link/outside.ts';
import type { Pending } from '#lib/sim/world/link/pending.ts';
import type { VirtualClock } from '#lib/sim/world/step/clock.ts';
import type { Random } from '#lib/sim/world/step/random.ts';
import { faultStep, silently, type WorldStep } from '#lib/sim/world/step/step.ts';
import { hostLog } from './host-log.ts';

/** Options for {@link OperatorHost}. */
export interface OperatorHostOptions {
  readonly name: string;
  readonly kinds: readonly AnyKindDefinition[];
  /** See `ManagerOptions.ownNamespace`. */
  readonly ownNamespace: string | undefined;
  /** Starts the loop of the process, as `startManager` does. */
  readonly start: (this: void, options: ManagerOptions) => Manager;
  readonly server: ApiServer;
  readonly outside: Outside;
  readonly clock: VirtualClock;
  readonly since: () => number;
  readonly random: Random;
  readonly note: (text: string) => void;
  /** Called for every failed call of a function, and every failed pass, of the process. */
  readonly onFailure: NonNullable<ManagerOptions['onFailure']>;
  /** Whether the host records the data that a fingerprint of the process needs. */
  readonly isRecorded: boolean;
}

/** The possible jumps of a host's wall clock, in milliseconds. */
const JUMPS: Readonly<Record<string, number>> = { '1h forward': 3_600_000, '1h back': -3_600_000, '10s back': -10_000 };

/** Whether no pass is running. The state of an idle process is complete; a running pass also has local variables. */
const isIdle = ({ controllers }: ManagerState): boolean => controllers.every(({ queue }) => queue.taken.length === 0);

/**
 * A machine that runs the real loop as a process.
 *
 * **Flow**: the process starts → the process works → the process crashes, and loses its memory, its timers and its connections
 * → the process starts again.
 *
 * **Guarantees**: no code of a crashed process continues, but requests that the process has already sent may still arrive.
 */
export class OperatorHost {
  readonly name: string;
  readonly #options: OperatorHostOptions;
  #lives = 0;
  #manager: Manager | undefined;
  #link: Link | undefined;
  /**
   * The last state of the process while no pass was running, and all messages and timers since then. Together, they determine the
   * state of a running pass.
   */
  #rested: ManagerState | undefined;
  #heard: { readonly atMs: number; readonly what: unknown }[] = [];
  readonly #startStep: WorldStep;
  readonly #timerStep: WorldStep;
  /** The connections of crashed processes that still have requests in transit. */
  #oldLinks: Link[] = [];

  constructor(options: OperatorHostOptions) {
    const { name } = options;
    this.name = name;
    this.#options = options;
    this.#startStep = {
      label: `${name} starts`,
      nature: 'progress',
      touches: { host: name },
      run: () => this.#start(),
    };
    this.#timerStep = {
      label: `${name} wakes up`,
      nature: 'progress',
      touches: { host: name },
      run: () => this.#wakeUp(),
    };
  }

  get isRunning(): boolean {
    return this.#manager !== undefined;
  }

  get manager(): Manager | undefined {
    return this.#manager;
  }

  get pending(): Pending[] {
    const own = this.#link?.pending ?? [];
    return this.#oldLinks.length === 0 ? own : [...this.#oldLinks.flatMap(({ pending }) => pending), ...own];
  }

  /** The time of the next timer or of the next end of a watch, in milliseconds since the start; Infinity if there is neither. */
  get nextDueMs(): number {
    return Math.min(this.#options.clock.nextDueMs(this.name) ?? Infinity, this.#link?.nextEndMs ?? Infinity);
  }

  /** Whether time alone causes work, apart from the renewal of watches: a timer is set, or a watch is silent. */
  get isWaiting(): boolean {
    return this.#options.clock.nextDueMs(this.name) !== undefined || (this.#link?.isSilent ?? false);
  }

  /** The next step of the process itself: its start, or a timer that is due. Messages in transit have their own steps. */
  progress(): WorldStep | undefined {
    if (!this.isRunning) return this.#startStep;
    const { clock } = this.#options;
    const due = clock.nextDueMs(this.name);
    return due === undefined || due > clock.elapsedMs ? undefined : this.#timerStep;
  }

  /** The possible faults of the host: a crash, and jumps of its clock. A host without a running process has none. */
  faults(): readonly WorldStep[] {
    if (!this.isRunning) return [];
    const { clock } = this.#options;
    const jumps = Object.entries(JUMPS).map(([words, ms]) =>
      faultStep(
        'clock jump',
        `clock ${words}: ${this.name}`,
        silently(() => clock.jump(this.name, ms)),
      ),
    );
    const crash = faultStep('crash', `crash: ${this.name}`, () => this.#crash());
    return [{ ...crash, touches: { host: this.name, ends: this.name } }, ...jumps];
  }

  /** The resource versions from which the watches of the process would continue. */
  get positions(): readonly string[] {
    const watches = Object.values(this.#manager?.inspect().watches ?? {});
    return watches.flatMap(({ resourceVersion }) => resourceVersion ?? []);
  }

  /** The state of the host as JSON, for fingerprints. The state is complete only if `isRecorded` is set. */
  describe(): unknown {
    const { clock } = this.#options;
    const state = this.#manager?.inspect();
    const heard = this.#heard.map(({ atMs, what }) => [clock.elapsedMs - atMs, what]);
    const pass = state === undefined || isIdle(state) ? [] : [this.#rested ?? null, heard];
    return [this.name, state ?? null, pass, clock.remainingMs(this.name), clock.jumpMs(this.name)];
  }

  /**
   * Called just before the process receives a message or a timer. If no pass is running, the state of the process includes all
   * earlier messages, so their list is cleared.
   */
  #hear(what: unknown): void {
    const { isRecorded, clock } = this.#options;
    if (!isRecorded) return;
    const state = this.#manager?.inspect();
    if (state !== undefined && isIdle(state)) {
      this.#heard = [];
      this.#rested = state;
    }
    this.#heard.push({ atMs: clock.elapsedMs, what });
  }

  #wakeUp(): undefined {
    this.#hear('timer');
    this.#options.clock.fire(this.name);
  }

  /** Whether the API server supports watch-lists: at random, true with a probability of 1/2. */
  get #hasWatchLists(): boolean {
    return this.#options.random.fork('watch-lists').next() < 1 / 2;
  }

  #start(): undefined {
    const { name, kinds, ownNamespace, start, server, outside, clock, since, random, note, onFailure } = this.#options;
    this.#lives += 1;
    const heard = (what: unknown): void => this.#hear(what);
    const link = new Link({ host: name, server, outside, elapsedMs: () => clock.elapsedMs, since, heard });
    const { allowedHosts } = outside;
    const perform = async (request: HttpRequest): Promise<HttpAnswer> => link.http(request);
    const luck = random.fork(`${name} life ${this.#lives}`);
    this.#link = link;
    this.#manager = start({
      kinds,
      api: kubeApiOver(link),
      ...(ownNamespace !== undefined && { ownNamespace }),
      ...(allowedHosts && { effects: { allowedHosts, perform } }),
      timers: clock.timersOf(name),
      random: () => luck.next(),
      // The loop does not detect silent watches here: its timer would always be set, and the cluster would never be at rest.
      // Instead, the virtual connection ends a silent watch, 30 s after its regular end.
      silenceMs: Infinity,
      watchLists: this.#hasWatchLists,
      checksFunctions: true,
      log: hostLog((text) => note(`${name}: ${text}`)),
      onFailure,
    });
  }

  #crash(): undefined {
    this.#options.clock.forget(this.name);
    this.#manager = undefined;
    this.#rested = undefined;
    this.#heard = [];
    this.#link?.hangUp();
    const links = this.#link === undefined ? this.#oldLinks : [...this.#oldLinks, this.#link];
    this.#oldLinks = links.filter(({ pending }) => pending.length > 0);
    this.#link = undefined;
  }
}
