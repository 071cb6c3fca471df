/** The first batch. Small sets overlap whole; a large one that is refused costs few requests. */
const FIRST_BATCH = 4;
/** As many as there are connections: more would only wait, and their time would run. */
const LARGEST_BATCH = 16;

/**
 * Runs tasks in batches that double, and stops after a batch in which one failed: what a quota refuses once it refuses
 * a thousand times.
 *
 * @param tasks - each resolves to true when it went well
 * @param goOn - asked before every batch
 * @returns how many were started
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/controller/controller_utils.go (`slowStartBatch`)
 */
export const inSlowStart = async (
  tasks: readonly (() => Promise<boolean>)[],
  goOn: () => boolean = () => true,
): Promise<number> => {
  let started = 0;
  let batchSize = FIRST_BATCH;
  while (started < tasks.length && goOn()) {
    const batch = tasks.slice(started, started + batchSize);
    started += batch.length;
    const went = await Promise.all(batch.map(async (task) => task()));
    if (went.includes(false)) break;
    batchSize = Math.min(batchSize * 2, LARGEST_BATCH);
  }
  return started;
};
