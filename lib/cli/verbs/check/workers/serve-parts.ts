import { type CheckOptions, check } from '#lib/foresight/check/check.ts';
import { endWithParent } from '../../../child/end-with-parent.ts';
import { killGroup } from '../../../child/process-group.ts';
import { checkOptionsOf } from '../inputs.ts';
import type { PartAnswer, PartMessage } from './parts.ts';

/**
 * Runs parts of a check, one at a time, and sends their reports. An error is not sent: the parent process repeats the part.
 *
 * @param starter - the process id of the parent
 */
export const serveParts = (starter: number): void => {
  endWithParent(starter);
  process.once('disconnect', () => killGroup(process.pid));
  let options: Promise<CheckOptions> | undefined;
  const answerTo = async (message: PartMessage): Promise<PartAnswer | undefined> => {
    if ('part' in message) return { report: await check({ ...((await options) as CheckOptions), ...message.part }) };
    const { inputs, cwd, endsAtMs = Infinity } = message;
    const loaded = checkOptionsOf({ cwd, env: process.env }, inputs);
    options = loaded.then((all) => ({ ...all, isOver: () => Date.now() >= endsAtMs }));
    return undefined;
  };
  process.on('message', (message: PartMessage) => {
    void answerTo(message)
      .catch((): PartAnswer => ({}))
      .then((answer) => answer && process.send?.(answer));
  });
};
