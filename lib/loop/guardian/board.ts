import type { Key } from '#lib/loop/context/key.ts';
import type { LeaseValidity } from '#lib/loop/election/types.ts';
import type { CallWatch } from '#lib/loop/guardian/runaway/guarded-kind.ts';

/** The running call of a function, or the last call. */
export interface AnnouncedCall {
  /** The position of the kind in `GuardianOptions.kinds`. */
  readonly kind: number;
  readonly key: string;
}

/** Memory that both threads share: the validity of the lease, and the call that runs in the main thread. */
export interface Board extends CallWatch {
  /** The memory, which is passed to the other thread. */
  readonly buffer: SharedArrayBuffer;
  readonly validity: () => LeaseValidity;
  readonly setValidity: (validity: LeaseValidity) => void;
  /** A number that grows when a call begins and when a call ends. It is odd while a call is running. */
  readonly sequence: () => number;
  /**
   * The call that was running at a sequence number. Undefined when the call has ended in the meantime, because the memory may
   * then contain another call.
   */
  readonly callOf: (sequence: number) => AnnouncedCall | undefined;
  /** Resolves when a call has begun or ended after a sequence number. One call of this method waits at a time. */
  readonly changed: (sequence: number) => Promise<void>;
}

const MICROS_PER_MILLI = 1000;

const VALIDITY_BYTES = 16;
const SEQUENCE = 0;
const KIND = 1;
const KEY_LENGTH = 2;
/** 1 while the other thread waits for a change of the sequence number. */
const IS_AWAITED = 3;
const WORDS_BYTES = 16;
/** The maximum length of a key, with a margin. A namespace has at most 63 characters, and a name at most 253. */
const KEY_BYTES = 320;

/** Makes the shared memory of the main thread and the guardian. All times are milliseconds by the clocks of the *main* thread. */
export const createBoard = (buffer = new SharedArrayBuffer(VALIDITY_BYTES + WORDS_BYTES + KEY_BYTES)): Board => {
  // `Atomics` works on 64-bit integers, and not on 64-bit floating-point numbers. A non-atomic read could mix an old and a new
  // value.
  const numbers = new BigInt64Array(buffer, 0, 2);
  const words = new Int32Array(buffer, VALIDITY_BYTES, WORDS_BYTES / Int32Array.BYTES_PER_ELEMENT);
  const text = Buffer.from(buffer, VALIDITY_BYTES + WORDS_BYTES, KEY_BYTES);
  const read = (index: number): number => Number(Atomics.load(numbers, index)) / MICROS_PER_MILLI;
  const write = (index: number, ms: number): void => {
    Atomics.store(numbers, index, BigInt(Math.round(ms * MICROS_PER_MILLI)));
  };
  const advance = (): void => {
    Atomics.add(words, SEQUENCE, 1);
    if (Atomics.exchange(words, IS_AWAITED, 0) === 1) Atomics.notify(words, SEQUENCE);
  };
  return {
    buffer,
    validity: () => ({ elapsedMs: read(0), wallMs: read(1) }),
    setValidity: ({ elapsedMs, wallMs }) => {
      write(0, elapsedMs);
      write(1, wallMs);
    },
    enter: (kind: number, key: Key) => {
      // Names are ASCII. A thread that reads the new sequence number also sees the values that were written before it.
      words[KEY_LENGTH] = text.write(key, 0, 'latin1');
      words[KIND] = kind;
      advance();
    },
    leave: advance,
    sequence: () => Atomics.load(words, SEQUENCE),
    callOf: (sequence) => {
      const call = { kind: words[KIND] ?? 0, key: text.toString('latin1', 0, words[KEY_LENGTH]) };
      return Atomics.load(words, SEQUENCE) === sequence ? call : undefined;
    },
    changed: async (sequence) => {
      // Set before the comparison in `waitAsync`: a change before the comparison ends the wait, and a later change notifies it.
      Atomics.store(words, IS_AWAITED, 1);
      await Atomics.waitAsync(words, SEQUENCE, sequence).value;
    },
  };
};

const NANOS_PER_MILLI = 1e6;

/**
 * The time at which `performance.now()` of this thread was 0, by a clock that all threads of the process share, in milliseconds.
 * The wall clock is not suitable, because it may be set between the starts of two threads.
 */
export const clockOriginMs = (): number => Number(process.hrtime.bigint()) / NANOS_PER_MILLI - performance.now();
