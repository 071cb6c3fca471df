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

/** What a host needs of its surroundings. */
export interface OperatorHostOptions {
  readonly name: string;
  readonly kinds: readonly AnyKindDefinition[];
  /** Starts the process, as `startManager` does. */
  readonly start: (this: void, options: ManagerOptions) => Manager;
  readonly server: ApiServer;
  readonly outside: Outside;
  readonly clock: VirtualClock;
  readonly since: () => number;
  readonly random: Random;
  readonly note: (text: string) => void;
  /** Called for every failed function and pass of the process. */
  readonly onFailure: NonNullable<ManagerOptions['onFailure']>;
  /** Keeps what a fingerprint of the process needs. */
  readonly isRecorded: boolean;
}

/** The maximum jump of a host's wall clock, in milliseconds. */
const JUMPS: Readonly<Record<string, number>> = { '1h forward': 3_600_000, '1h back': -3_600_000, '10s back': -10_000 };

/** True when no pass is under way: the state says it all. */
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
  /** What the process was at its last rest, and what it has heard since: the state of a pass that is under way. */
  #rested: ManagerState | undefined;
  #heard: { readonly atMs: number; readonly what: unknown }[] = [];
  readonly #startStep: WorldStep;
  readonly #timerStep: WorldStep;
  /** Links of earlier lives on which requests are still on their way. */
  #oldLinks: Link[] = [];

  constructor(options: OperatorHostOptions) {
    const { name } = options;
    this.name = name;
    this.#options = options;
    this.#startStep = { label: `${name} starts`, nature: 'progress', run: () => this.#start() };
    this.#timerStep = { label: `${name} wakes up`, nature: 'progress', run: () => this.#wakeUp() };
  }

  get isRunning(): boolean {
    return this.#manager !== undefined;
  }

  /** The running loop. */
  get manager(): Manager | undefined {
    return this.#manager;
  }

  get pending(): Pending[] {
    const own = this.#link?.pending ?? [];
    return this.#oldLinks.length === 0 ? own : [...this.#oldLinks.flatMap(({ pending }) => pending), ...own];
  }

  /** When something is due at the latest, in milliseconds since the start; Infinity for never. */
  get nextDueMs(): number {
    return Math.min(this.#options.clock.nextDueMs(this.name) ?? Infinity, this.#link?.nextEndMs ?? Infinity);
  }

  /** True while time alone will bring it something to do, other than to renew a watch that works. */
  get isWaiting(): boolean {
    return this.#options.clock.nextDueMs(this.name) !== undefined || (this.#link?.isSilent ?? false);
  }

  /** What it does next by itself; what is on its way is not among it. */
  progress(): WorldStep | undefined {
    if (!this.isRunning) return this.#startStep;
    const { clock } = this.#options;
    const due = clock.nextDueMs(this.name);
    return due === undefined || due > clock.elapsedMs ? undefined : this.#timerStep;
  }

  /** What may become of it. */
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
    return [faultStep('crash', `crash: ${this.name}`, () => this.#crash()), ...jumps];
  }

  /** Called after every step: what a process at rest has heard is in its state, and forgotten here. */
  settle(): void {
    const state = this.#manager?.inspect();
    if (state === undefined || !isIdle(state)) return;
    this.#heard = [];
    this.#rested = state;
  }

  /** The versions at which its watches would go on. */
  get positions(): readonly string[] {
    const watches = Object.values(this.#manager?.inspect().watches ?? {});
    return watches.flatMap(({ resourceVersion }) => resourceVersion ?? []);
  }

  /** Its state as JSON, for fingerprints; only when recorded. */
  describe(): unknown {
    const { clock } = this.#options;
    const state = this.#manager?.inspect();
    const heard = this.#heard.map(({ atMs, what }) => [clock.elapsedMs - atMs, what]);
    const pass = state === undefined || isIdle(state) ? [] : [this.#rested ?? null, heard];
    return [this.name, state ?? null, pass, clock.remainingMs(this.name), clock.jumpMs(this.name)];
  }

  #hear(what: unknown): void {
    if (this.#options.isRecorded) this.#heard.push({ atMs: this.#options.clock.elapsedMs, what });
  }

  #wakeUp(): undefined {
    this.#hear('timer');
    this.#options.clock.fire(this.name);
  }

  /** About half of all worlds have an API server with watch-lists. */
  get #hasWatchLists(): boolean {
    return this.#options.random.fork('watch-lists').next() < 1 / 2;
  }

  #start(): undefined {
    const { name, kinds, start, server, outside, clock, since, random, note, onFailure } = this.#options;
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
      ...(allowedHosts && { effects: { allowedHosts, perform } }),
      timers: clock.timersOf(name),
      random: () => luck.next(),
      // A watch that falls silent ends by itself here, half a minute late; a timer that is always set would never let anything rest.
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
