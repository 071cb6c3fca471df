import type { Key } from '#lib/loop/context/key.ts';
import type { LeaseValidity } from '#lib/loop/election/types.ts';
import type { CallWatch } from '#lib/loop/guardian/runaway/guarded-kind.ts';

/** The call that is, or was last, under way. */
export interface AnnouncedCall {
  /** Which of the kinds of this process. */
  readonly kind: number;
  readonly key: string;
}

/** Memory that both threads share: the validity of the lease, and the call that the main thread is computing. */
export interface Board extends CallWatch {
  /** The memory, to be handed to the other thread. */
  readonly buffer: SharedArrayBuffer;
  readonly validity: () => LeaseValidity;
  readonly setValidity: (validity: LeaseValidity) => void;
  /** Odd while a call is under way. */
  readonly sequence: () => number;
  /**
   * The call that ran at a sequence number; undefined when it has ended since, because the entry may then belong to another
   * one.
   */
  readonly callOf: (sequence: number) => AnnouncedCall | undefined;
}

const MICROS_PER_MILLI = 1000;

const VALIDITY_BYTES = 16;
const SEQUENCE = 0;
const KIND = 1;
const KEY_LENGTH = 2;
const WORDS_BYTES = 16;
/** A namespace has 63 characters at most, a name 253. */
const KEY_BYTES = 320;

/** Shared memory of main thread and guardian. All times are milliseconds of the *main* thread's clocks. */
export const createBoard = (buffer = new SharedArrayBuffer(VALIDITY_BYTES + WORDS_BYTES + KEY_BYTES)): Board => {
  // 64-bit integers, because other numbers of that size may be seen half-written.
  const numbers = new BigInt64Array(buffer, 0, 2);
  const words = new Int32Array(buffer, VALIDITY_BYTES, WORDS_BYTES / Int32Array.BYTES_PER_ELEMENT);
  const text = Buffer.from(buffer, VALIDITY_BYTES + WORDS_BYTES, KEY_BYTES);
  const read = (index: number): number => Number(Atomics.load(numbers, index)) / MICROS_PER_MILLI;
  const write = (index: number, ms: number): void => {
    Atomics.store(numbers, index, BigInt(Math.round(ms * MICROS_PER_MILLI)));
  };
  return {
    buffer,
    validity: () => ({ elapsedMs: read(0), wallMs: read(1) }),
    setValidity: ({ elapsedMs, wallMs }) => {
      write(0, elapsedMs);
      write(1, wallMs);
    },
    enter: (kind: number, key: Key) => {
      // Names are ASCII. Values written before the sequence number are visible to every reader of it.
      words[KEY_LENGTH] = text.write(key, 0, 'latin1');
      words[KIND] = kind;
      Atomics.add(words, SEQUENCE, 1);
    },
    leave: () => void Atomics.add(words, SEQUENCE, 1),
    sequence: () => Atomics.load(words, SEQUENCE),
    callOf: (sequence) => {
      const call = { kind: words[KIND] ?? 0, key: text.toString('latin1', 0, words[KEY_LENGTH]) };
      return Atomics.load(words, SEQUENCE) === sequence ? call : undefined;
    },
  };
};

const NANOS_PER_MILLI = 1e6;

/**
 * The reading of the clock that all threads of the process share when `performance.now()` of this thread showed 0, in
 * milliseconds. Wall time is not used, because it may be set between the starts of two threads.
 */
export const clockOriginMs = (): number => Number(process.hrtime.bigint()) / NANOS_PER_MILLI - performance.now();
