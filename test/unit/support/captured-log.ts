import { symbols } from 'pino';
import { createLogger, type Logger, type LoggerLevel } from '#lib/telemetry/log.ts';

/** The process's logger, with its lines in memory instead of standard output. */
export const capturedLog = (level: LoggerLevel = 'debug'): { readonly log: Logger; readonly lines: string[] } => {
  const lines: string[] = [];
  const log = createLogger(level);
  Reflect.set(log, symbols.streamSym, { write: (line: string) => lines.push(line) });
  return { log, lines };
};
