import { createLogger, type Logger, logLevelOf } from '#lib/telemetry/log.ts';
import { quietLog } from '#lib/telemetry/quiet-log.ts';

/**
 * Runs a task with the log of this process: JSON lines on standard output.
 *
 * Guarantees: a fatal error is the last line, so that standard error stays empty; this includes an invalid log level.
 *
 * @param level - as in `LOG_LEVEL`
 * @throws the error of the work
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
