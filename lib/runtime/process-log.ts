import { createLogger, type Logger, logLevelOf } from '#lib/telemetry/log.ts';
import { quietLog } from '#lib/telemetry/quiet-log.ts';

/**
 * Runs a task with the log of this process: JSON lines on standard output.
 *
 * Guarantees: a fatal error is the last line of the log, and nothing is written to standard error. This includes an invalid log
 * level.
 *
 * @param level - the value of `LOG_LEVEL`
 * @throws the error of the task
 */
export const withProcessLog = async (
  level: string | undefined,
  work: (log: Logger) => Promise<void>,
): Promise<void> => {
  let log = createLogger('error');
  try {
    log = createLogger(logLevelOf(level));
    await work(quietLog(log));
  } catch (error) {
    log.error({ error }, 'operator ended with an error');
    throw error;
  }
};
