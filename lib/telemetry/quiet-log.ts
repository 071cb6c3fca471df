import type { Logger } from './log.ts';

/** Options of {@link quietLog}. */
export interface QuietOptions {
  /** Returns milliseconds of a monotonic clock. @default the clock of the process */
  readonly elapsed?: () => number;
  /** Time without a repetition after which the same line counts as new, in milliseconds. @default 900_000 */
  readonly forgetAfterMs?: number;
}

interface Said {
  readonly times: number;
  readonly at: number;
}

/** The number of remembered lines. When there are more, the logger forgets the oldest lines. A forgotten line counts as new. */
const REMEMBERED = 4096;

/** Fields that identify equal lines: event, object and reason. Other fields, such as counts and times, are ignored. */
const IDENTIFYING = ['key', 'resource', 'namespace', 'kind', 'name', 'step', 'refused', 'effect', 'lease'] as const;

const errorIdentity = (error: unknown): unknown => {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error;
  return (error as Error & { readonly code?: unknown }).code ?? `${error.name} ${error.message}`;
};

const identityOf = (message: string, fields: object): string => {
  const known = fields as Readonly<Record<string, unknown>>;
  return JSON.stringify([message, ...IDENTIFYING.map((field) => known[field]), errorIdentity(known['error'])]);
};

const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0;

class Memory {
  readonly #said = new Map<string, Said>();
  readonly #elapsed: () => number;
  readonly #forgetAfterMs: number;

  constructor({ elapsed = () => performance.now(), forgetAfterMs = 900_000 }: QuietOptions) {
    this.#elapsed = elapsed;
    this.#forgetAfterMs = forgetAfterMs;
  }

  /** The number of times that a line occurred, including this time. */
  count(identity: string): number {
    const at = this.#elapsed();
    const before = this.#said.get(identity);
    const times = before && at - before.at < this.#forgetAfterMs ? before.times + 1 : 1;
    this.#said.delete(identity);
    this.#said.set(identity, { times, at });
    const [oldest] = this.#said.keys();
    if (this.#said.size > REMEMBERED && oldest !== undefined) this.#said.delete(oldest);
    return times;
  }
}

const quietly = (log: Logger, memory: Memory, bound: string): Logger => {
  const say = (level: 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    if (!('error' in fields)) {
      log[level](fields, message);
      return;
    }
    const times = memory.count(`${level} ${bound} ${identityOf(message, fields)}`);
    if (isPowerOfTwo(times)) log[level](times === 1 ? fields : { ...fields, times }, message);
  };
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    child: (fields) => quietly(log.child(fields), memory, `${bound}${JSON.stringify(fields)}`),
  };
};

/**
 * Makes a logger that writes a repeated failure only the first, second, fourth, eighth … time, with the number of occurrences
 * in `times`.
 *
 * Guarantees: lines without an `error`, and lines of level debug, are always written. A failure counts as repeated only if its
 * level, message, object and error are the same. Errors are compared by their codes; without a code, by name and message.
 */
export const quietLog = (log: Logger, options: QuietOptions = {}): Logger => quietly(log, new Memory(options), '');
