import type { Validity } from '#lib/loop/election/election.ts';

/** What both threads see at once, without a message: the validity of the lease. */
export interface Board {
  /** The memory, to be handed to the other thread. */
  readonly buffer: SharedArrayBuffer;
  readonly validity: () => Validity;
  readonly setValidity: (validity: Validity) => void;
}

const MICROS_PER_MILLI = 1000;

const VALIDITY_BYTES = 16;

/** Shared memory of main thread and guardian. All times are milliseconds of the *main* thread's clocks. */
export const createBoard = (buffer = new SharedArrayBuffer(VALIDITY_BYTES)): Board => {
  // 64-bit integers, because other numbers of that size may be seen half-written.
  const numbers = new BigInt64Array(buffer, 0, 2);
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
  };
};
