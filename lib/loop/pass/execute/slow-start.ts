/** The size of the first batch. The size is small, so that many tasks that would all be refused cost few requests. */
const FIRST_BATCH = 4;
/** The maximum batch size, equal to the number of connections: further requests would only wait, while their timeouts run. */
const LARGEST_BATCH = 16;

/** Options of {@link inSlowStart}. */
export interface SlowStartOptions {
  /** True to run one task before all others, when tasks are likely to fail. @default false */
  readonly isProbing?: boolean;
  /** Called before each batch; false stops the run. @default always true */
  readonly goOn?: () => boolean;
}

/**
 * Runs tasks in batches that grow up to 16 tasks. Stops after a batch with a failure. With a full quota, for example, a thousand
 * creates would otherwise all be sent and refused.
 *
 * @param tasks - each resolves to true when it succeeded
 * @returns the number of tasks that were started
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
