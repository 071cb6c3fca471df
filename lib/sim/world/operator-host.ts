import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Manager, ManagerOptions } from '#lib/loop/manager.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import type { VirtualClock } from './clock.ts';
import { kubeApiOver } from './kube-api.ts';
import { Link } from './link.ts';
import type { Pending } from './pending.ts';
import type { Random } from './random.ts';
import type { WorldStep } from './step.ts';

/** What a host needs of its surroundings. */
export interface OperatorHostOptions {
  readonly name: string;
  readonly kinds: readonly AnyKindDefinition[];
  /** Starts the process, as `startManager` does. */
  readonly start: (options: ManagerOptions) => Manager;
  readonly server: ApiServer;
  readonly clock: VirtualClock;
  readonly since: () => number;
  readonly random: Random;
  readonly note: (text: string) => void;
}

/** A host's wall clock may be wrong by so much all at once, in milliseconds. */
const JUMPS: Readonly<Record<string, number>> = { '1h forward': 3_600_000, '1h back': -3_600_000, '10s back': -10_000 };

const isSaid = (level: string): boolean => level !== 'debug';

const logTo = (note: (text: string) => void, level: string) => (fields: object, message: string) => {
  if (!isSaid(level)) return;
  const { key, reason, error } = fields as { key?: string; reason?: string; error?: unknown };
  const details = [key, reason, error instanceof Error ? error.message : undefined].filter(
    (part) => part !== undefined,
  );
  note([message, ...details].join(' · '));
};

const loggerOf = (note: (text: string) => void): ManagerOptions['log'] => {
  const log: ManagerOptions['log'] = {
    debug: logTo(note, 'debug'),
    info: logTo(note, 'info'),
    warn: logTo(note, 'warn'),
    error: logTo(note, 'error'),
    child: () => log,
  };
  return log;
};

/**
 * A machine on which the real loop runs as a process.
 *
 * **Flow**: starts → works → crashes (loses its memory, its timers and its connections) → starts again.
 *
 * **Guarantees**: nothing that a crashed process began goes on, but requests that it had sent may still arrive.
 */
export class OperatorHost {
  readonly name: string;
  readonly #options: OperatorHostOptions;
  #lives = 0;
  #manager: Manager | undefined;
  #link: Link | undefined;
  /** Links of earlier lives on which requests are still on their way. */
  #oldLinks: Link[] = [];

  constructor(options: OperatorHostOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#manager !== undefined;
  }

  /** The running loop. */
  get manager(): Manager | undefined {
    return this.#manager;
  }

  get pending(): Pending[] {
    return [...this.#oldLinks, ...(this.#link ? [this.#link] : [])].flatMap(({ pending }) => pending);
  }

  /** When something is due at the latest, in milliseconds since the start; Infinity for never. */
  get nextDueMs(): number {
    return Math.min(this.#options.clock.nextDueMs(this.name) ?? Infinity, this.#link?.nextEndMs ?? Infinity);
  }

  /** What the host itself can do or suffer; what is on its way is not among it. */
  steps(): readonly WorldStep[] {
    const { name } = this;
    if (!this.isRunning) return [{ label: `${name} starts`, nature: 'progress', run: () => this.#start() }];
    return [...this.#timer(), ...this.#faults()];
  }

  #timer(): WorldStep[] {
    const { clock } = this.#options;
    const due = clock.nextDueMs(this.name);
    if (due === undefined || due > clock.elapsedMs) return [];
    const run = (): undefined => void clock.fire(this.name);
    return [{ label: `${this.name} wakes up`, nature: 'progress', run }];
  }

  #faults(): WorldStep[] {
    const { clock } = this.#options;
    const jumps = Object.entries(JUMPS).map(([words, ms]): WorldStep => {
      const run = (): undefined => void clock.jump(this.name, ms);
      return { label: `clock ${words}: ${this.name}`, nature: 'fault', run };
    });
    return [{ label: `crash: ${this.name}`, nature: 'fault', run: () => this.#crash() }, ...jumps];
  }

  #start(): undefined {
    const { name, kinds, start, server, clock, since, random, note } = this.#options;
    this.#lives += 1;
    const link = new Link({ host: name, server, elapsedMs: () => clock.elapsedMs, since });
    const { next } = random.fork(`${name} life ${this.#lives}`);
    this.#link = link;
    this.#manager = start({
      kinds,
      api: kubeApiOver(link),
      timers: clock.timersOf(name),
      random: next,
      log: loggerOf((text) => note(`${name}: ${text}`)),
    });
    return undefined;
  }

  #crash(): undefined {
    this.#options.clock.forget(this.name);
    this.#manager = undefined;
    this.#link?.hangUp();
    const links = this.#link === undefined ? this.#oldLinks : [...this.#oldLinks, this.#link];
    this.#oldLinks = links.filter(({ pending }) => pending.length > 0);
    this.#link = undefined;
    return undefined;
  }
}
