/** The first batch where writes of the sort are accepted. Small sets overlap whole; a large one that is refused costs few requests. */
const FIRST_BATCH = 4;
/** As many as there are connections: more would only wait, and their time would run. */
const LARGEST_BATCH = 16;

/** How tasks are begun. */
export interface SlowStartOptions {
  /** True for one task ahead of all others: it is likely to fail. @default false */
  readonly isProbing?: boolean;
  /** Called before every batch. @default true */
  readonly goOn?: () => boolean;
}

/**
 * Runs tasks in batches that double in size, and stops after a batch with a failure: otherwise a full quota would refuse a
 * thousand creates.
 *
 * @param tasks - each resolves to true when it went well
 * @returns how many were started
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/controller/controller_utils.go (`slowStartBatch`)
 */
export const inSlowStart = async (
  tasks: readonly (() => Promise<boolean>)[],
  { isProbing = false, goOn = () => true }: SlowStartOptions = {},
): Promise<number> => {
  let started = 0;
  let batchSize = isProbing ? 1 : FIRST_BATCH;
  while (started < tasks.length && goOn()) {
    const batch = tasks.slice(started, started + batchSize);
    started += batch.length;
    const went = await Promise.all(batch.map(async (task) => task()));
    if (went.includes(false)) break;
    batchSize = Math.min(Math.max(batchSize * 2, FIRST_BATCH), LARGEST_BATCH);
  }
  return started;
};
