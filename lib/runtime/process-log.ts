import { createLogger, type Logger, logLevelOf } from '#lib/telemetry/log.ts';
import { quietLog } from '#lib/telemetry/quiet-log.ts';

/**
 * Runs a task with the log of this process: JSON lines on standard output.
 *
 * Guarantees: an error of the task, or an invalid log level, is logged before it is thrown again.
 *
 * @param level - the value of `LOG_LEVEL`
 * @throws the error of the task, or a ConfigurationError for an invalid level
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
