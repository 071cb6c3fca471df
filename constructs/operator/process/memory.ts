/** The default memory limit of a container, in MiB. */
export const MEMORY_MIB = 256;

/**
 * The default for operators with conversion functions, in MiB. These functions run in their own thread, whose heap is limited to
 * 128 MiB (`lib/runtime/conversion/converter.ts`).
 */
export const MEMORY_WITH_CONVERSIONS_MIB = 384;

/**
 * Memory that a process needs until it leads, in MiB: a base, and an amount for each kind. Measured on Node.js 24 with a limit of
 * 128 MiB: 107 MiB with one kind, and 114 MiB with five kinds. The size of the heap makes no difference.
 */
const START_MIB = { process: 106, kind: 1.6 } as const;

/** The lowest memory limit, in MiB. A lower limit leaves no room for resources. */
const LEAST_MIB = 128;

/**
 * The memory that an operator takes until it leads.
 *
 * @param kinds - number of kinds
 * @returns the lowest limit that follows, and a sentence about the memory and its parts
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

/** Share of the memory limit for the heap. The rest of the memory is for code, buffers, threads and stacks. */
const HEAP_SHARE = 0.7;

/**
 * The heap of the main thread, in MiB. Memory for conversions is reserved only when the limit is at least
 * {@link MEMORY_WITH_CONVERSIONS_MIB}.
 *
 * @param memoryMiB - the limit of the container. Below 384 MiB, no memory is reserved for the thread of conversions
 */
export const heapMiB = (memoryMiB: number, hasConversions: boolean): number => {
  const reserved =
    hasConversions && memoryMiB >= MEMORY_WITH_CONVERSIONS_MIB ? MEMORY_WITH_CONVERSIONS_MIB - MEMORY_MIB : 0;
  return Math.floor((memoryMiB - reserved) * HEAP_SHARE);
};

/**
 * Warns of too little memory for conversions. Too little memory is not an error, because an operator may convert only a few
 * objects.
 *
 * @returns a sentence when the limit leaves no memory for the conversion thread
 */
export const memoryWarnings = (memoryMiB: number, hasConversions: boolean): readonly string[] => {
  if (!hasConversions || memoryMiB >= MEMORY_WITH_CONVERSIONS_MIB) return [];
  const thread = MEMORY_WITH_CONVERSIONS_MIB - MEMORY_MIB;
  return [
    `memoryMiB is ${memoryMiB}, and functions convert versions in a thread of up to ${thread} MiB beside the heap of ${heapMiB(memoryMiB, true)} MiB: under load the container exceeds its limit and is ended (OOMKilled), and writes of these kinds fail meanwhile. Set memoryMiB to ${MEMORY_WITH_CONVERSIONS_MIB} or more, or leave it out`,
  ];
};
