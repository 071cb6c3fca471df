import { wordsOf } from '../../../../shell/report.ts';
import { endWithParent } from '../../operator/end-with-parent.ts';
import { inputProblemOf } from './input-problem.ts';
import type { WorkerAnswer, WorkerOrder } from './orders.ts';
import { tryChange } from './try-change.ts';

const answerTo = async (order: WorkerOrder): Promise<WorkerAnswer> => {
  try {
    return { type: 'tried', trial: await tryChange(order) };
  } catch (error) {
    return { type: 'failed', problem: inputProblemOf(wordsOf(error)) };
  }
};

/**
 * Executes one order of the parent process, sends the answer, and ends.
 *
 * @param starter - the process id of the parent
 */
export const serveOrder = (starter: number): void => {
  endWithParent(starter);
  process.once('disconnect', () => process.exit(0));
  process.once('message', (order: WorkerOrder) => {
    void answerTo(order).then((answer) => process.send?.(answer, () => process.exit(0)));
  });
};
