import { endWithParent } from '../../../../child/end-with-parent.ts';
import { killGroup } from '../../../../child/process-group.ts';
import { wordsOf } from '../../../../shell/report.ts';
import { prepareSteering, steerByPatch } from '../../../rollout/steer.ts';
import { inputProblemOf } from './input-problem.ts';
import { orderContext } from './order-context.ts';
import type { SteerOrder, WorkerAnswer, WorkerOrder, WorkerPlace } from './orders.ts';
import { tryChange } from './try-change.ts';

/** Maximum wait for the answer of the operator to a command, in seconds. */
const WAIT_SECONDS = 15;

const steered = async (order: WorkerPlace & SteerOrder): Promise<WorkerAnswer> => {
  const { word, type, cwd, ...rest } = order;
  const command = { ...rest, wait: WAIT_SECONDS };
  if (type === 'prepare')
    return { type: 'prepared', ...(await prepareSteering(orderContext({ ...rest, cwd }), word, command)) };
  let text = '';
  await steerByPatch(orderContext({ ...rest, cwd }, { stdout: { write: (more) => (text += more) } }), word, command);
  return { type: 'steered', text: text.trim() };
};

const answerTo = async (order: WorkerOrder): Promise<WorkerAnswer> => {
  try {
    return order.type === 'try' ? { type: 'tried', trial: await tryChange(order) } : await steered(order);
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
  process.once('disconnect', () => killGroup(process.pid));
  process.once('message', (order: WorkerOrder) => {
    void answerTo(order).then((answer) => process.send?.(answer, () => process.exit(0)));
  });
};
