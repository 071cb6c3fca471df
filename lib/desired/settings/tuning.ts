import { ConfigurationError } from '#lib/errors.ts';

/** Numeric settings of an operator process. All of them are optional. */
export interface Tuning {
  /** The maximum number of concurrent passes of one kind, 1–256. @default 16 */
  readonly concurrency?: number;
  /**
   * The maximum number of connections to the API server for requests, 1–256. Watches and events have their own connections.
   * @default 16
   */
  readonly connections?: number;
  /**
   * The maximum number of concurrent writes of all kinds, 1–256. The limit falls while the API server is overloaded. @default 16
   */
  readonly writesInFlight?: number;
  /** The time limit for a complete response to a read, in seconds, 1–600. @default 30 */
  readonly readTimeoutSeconds?: number;
  /**
   * The time limit for a complete response to a write, in seconds, 1–600. With leader election, it is at most two thirds of the
   * lease duration, because no write may still run when another process takes over.
   *
   * @default two thirds of the lease duration, such as 10 for 15 seconds; without leader election, 30
   */
  readonly writeTimeoutSeconds?: number;
  /** The time without an event or bookmark after which a watch is renewed, in seconds, 70–3600. @default 90 */
  readonly watchSilenceSeconds?: number;
  /**
   * The maximum number of concurrent HTTP effects of one kind in one namespace, and the same number of dry runs, 1–256.
   *
   * @default 16
   */
  readonly effectConcurrency?: number;
  /**
   * Seconds between audits of a cache: 0 for none, or 60 to 604800. An audit lists metadata, compares it with the cache and
   * repairs differences.
   *
   * @default 36000 (10 hours)
   */
  readonly resyncSeconds?: number;
  /**
   * The memory limit of one resource, in KiB: 0 for no limit, or 16 to 4096. The bytes of its texts count, and 16 bytes for each
   * value; its status does not count. A larger resource is `Stalled` with the reason `TooLarge` until its size is reduced. Its
   * children stay, and it can be deleted. The same applies to a resource for which there is no room: all resources together take
   * at most 25 % of the heap, and those of one namespace about half of that. Large children, and objects that are looked up, have
   * another 25 %. With 0, none of these limits applies.
   *
   * @default 128
   */
  readonly maxResourceKiB?: number;
}

/** One number of {@link Tuning}: its environment variable, and its valid range. */
export interface TuningRange {
  readonly variable: string;
  readonly min: number;
  readonly max: number;
  /** The meaning of 0, where it is allowed. */
  readonly zero?: string;
}

/** The valid values of each number of {@link Tuning}. */
export const TUNING: Readonly<Record<keyof Tuning, TuningRange>> = {
  concurrency: { variable: 'CONCURRENCY', min: 1, max: 256 },
  connections: { variable: 'CONNECTIONS', min: 1, max: 256 },
  writesInFlight: { variable: 'WRITES_IN_FLIGHT', min: 1, max: 256 },
  readTimeoutSeconds: { variable: 'READ_TIMEOUT_SECONDS', min: 1, max: 600 },
  writeTimeoutSeconds: { variable: 'WRITE_TIMEOUT_SECONDS', min: 1, max: 600 },
  // kube-apiserver sends a bookmark about once a minute, so a shorter silence is normal.
  watchSilenceSeconds: { variable: 'WATCH_SILENCE_SECONDS', min: 70, max: 3600 },
  effectConcurrency: { variable: 'EFFECT_CONCURRENCY', min: 1, max: 256 },
  resyncSeconds: { variable: 'RESYNC_SECONDS', min: 60, max: 604_800, zero: 'no audits' },
  maxResourceKiB: { variable: 'MAX_RESOURCE_KIB', min: 16, max: 4096, zero: 'no limit' },
};

/** The names of {@link Tuning}. */
export const TUNING_NAMES = Object.keys(TUNING) as readonly (keyof Tuning)[];

/** True for a whole number within the range. */
export const isInRange = (value: unknown, { min, max, zero }: TuningRange): value is number =>
  Number.isInteger(value) &&
  (((value as number) >= min && (value as number) <= max) || (value === 0 && zero !== undefined));

/** The range as text for messages, such as `a whole number from 1 to 256`. */
export const rangeText = ({ min, max, zero }: TuningRange): string =>
  `${zero === undefined ? '' : `0 (${zero}) or `}a whole number from ${min} to ${max}`;

/** A value for a message. A text is in quotation marks, because it is refused even if it looks like a number. */
const shown = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : String(value));

const isSet = (text: string | undefined): text is string => text !== undefined && text !== '';

/**
 * Reads the numeric settings of a process.
 *
 * @param env - the environment variables; an empty value counts as absent
 * @param options - the options of the program, which take precedence over the variables
 * @throws {ConfigurationError} for a value that is not a whole number, or is out of range
 */
export const tuningOf = (env: Readonly<Record<string, string | undefined>>, options: Tuning = {}): Tuning => {
  const entries = TUNING_NAMES.flatMap((name) => {
    const range = TUNING[name];
    const [option, text] = [options[name], env[range.variable]];
    if (option === undefined && !isSet(text)) return [];
    const read = /^\d+$/.test(text ?? '') ? Number(text) : Number.NaN;
    const value: unknown = option === undefined ? read : option;
    if (isInRange(value, range)) return [[name, value] as const];
    const said = option === undefined ? `${range.variable} is ${JSON.stringify(text)}` : `${name} is ${shown(option)}`;
    throw new ConfigurationError(`${said}: set it to ${rangeText(range)}`);
  });
  return Object.freeze(Object.fromEntries(entries));
};
