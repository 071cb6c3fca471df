/** The default memory limit of a container, in MiB. */
export const MEMORY_MIB = 256;

/**
 * The default memory limit of an operator with conversion functions, in MiB. The old generation of the heap of the conversion
 * thread has up to 128 MiB (`lib/runtime/conversion/converter.ts`).
 */
export const MEMORY_WITH_CONVERSIONS_MIB = 384;

/**
 * The memory of a process until it becomes the leader, in MiB: a base, and an amount for each kind. Node.js 24 with a limit of
 * 128 MiB used 107 MiB with one kind, and 114 MiB with five kinds.
 */
const START_MIB = { process: 106, kind: 1.6 } as const;

const LEAST_MIB = 128;

/**
 * Estimates the memory of a process until it becomes the leader.
 *
 * @param kinds - the number of kinds
 * @returns the lowest accepted memory limit in MiB, and a text for messages
 */
export const startMemory = (kinds: number) => {
  const { process, kind } = START_MIB;
  const needed = Math.ceil(process + kind * kinds);
  const parts = `${process} for Node.js and the loop, ${kind} × ${kinds} ${kinds === 1 ? 'kind' : 'kinds'}`;
  return {
    leastMiB: Math.max(LEAST_MIB, needed),
    text: `the process takes ${needed} MiB at its start (${parts}), and needs more for resources`,
  };
};

/** The share of the memory limit for the heap. The rest is for code, buffers, threads and stacks. */
const HEAP_SHARE = 0.7;

/**
 * Returns the maximum heap of the main thread, in MiB.
 *
 * @param memoryMiB - the limit of the container. Below {@link MEMORY_WITH_CONVERSIONS_MIB}, no memory is reserved for the
 *   conversion thread
 */
export const heapMiB = (memoryMiB: number, hasConversions: boolean): number => {
  const reserved =
    hasConversions && memoryMiB >= MEMORY_WITH_CONVERSIONS_MIB ? MEMORY_WITH_CONVERSIONS_MIB - MEMORY_MIB : 0;
  return Math.floor((memoryMiB - reserved) * HEAP_SHARE);
};

/**
 * Returns the maximum size of a semi-space of V8, in MiB. The young generation takes three semi-spaces in addition to the heap of
 * {@link heapMiB}. The V8 default of 16 MiB would give it a third of a limit of 128 MiB. With 8 MiB, an operator needs a seventh
 * less CPU time than with 4 MiB, because fewer objects survive a collection.
 */
export const semiSpaceMiB = (memoryMiB: number): number => (memoryMiB < MEMORY_MIB ? 4 : 8);

/**
 * Warns of too little memory for conversions.
 *
 * @returns one sentence if kinds have conversion functions and the limit is below {@link MEMORY_WITH_CONVERSIONS_MIB};
 *   otherwise an empty list
 */
export const memoryWarnings = (memoryMiB: number, hasConversions: boolean): readonly string[] => {
  if (!hasConversions || memoryMiB >= MEMORY_WITH_CONVERSIONS_MIB) return [];
  const thread = MEMORY_WITH_CONVERSIONS_MIB - MEMORY_MIB;
  return [
    `memoryMiB is ${memoryMiB}, and functions convert versions in a thread of up to ${thread} MiB beside the heap of ${heapMiB(memoryMiB, true)} MiB: under load the container exceeds its limit and is ended (OOMKilled), and writes of these kinds fail meanwhile. Set memoryMiB to ${MEMORY_WITH_CONVERSIONS_MIB} or more, or leave it out`,
  ];
};
