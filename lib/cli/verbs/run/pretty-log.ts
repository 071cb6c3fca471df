import { createLogger, type Logger, type LoggerLevel, logLevelOf } from '#lib/telemetry/log.ts';
import { quietLog } from '#lib/telemetry/quiet-log.ts';
import { placeInWords } from '../../project/project-file.ts';
import type { CliContext, Style } from '../../shell/context.ts';
import { printable } from '../../shell/output.ts';

const RANKS: Readonly<Record<LoggerLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

const STYLES: Readonly<Record<Exclude<LoggerLevel, 'silent'>, Style>> = {
  debug: 'dim',
  info: 'cyan',
  warn: 'yellow',
  error: 'red',
};

const shown = (value: unknown): string => {
  if (value instanceof Error) return `${value.message}${placeInWords(value, process.cwd())}`;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
};

/** The parts of the context that {@link personLog} uses. */
export type LogContext = Pick<CliContext, 'now' | 'color' | 'stderr' | 'env'>;

const prettyLogger = (context: LogContext, level: LoggerLevel, bound: object = {}): Logger => {
  const write = (rank: Exclude<LoggerLevel, 'silent'>) => (fields: object, message: string) => {
    if (RANKS[rank] < RANKS[level]) return;
    const time = new Date(context.now()).toISOString().slice(11, 19);
    const present = Object.entries({ ...bound, ...fields }).filter(([, value]) => value !== undefined);
    const details = present.map(([name, value]) => `${name}=${shown(value)}`);
    const line = printable(details.join(' ')).replaceAll('\n', ' ');
    const words = [context.color('dim', time), context.color(STYLES[rank], rank), message, line];
    context.stderr.write(`${words.filter((word) => word !== '').join(' ')}\n`);
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => prettyLogger(context, level, { ...bound, ...fields }),
  };
};

/** A log with short lines for users. */
export const personLog = (context: LogContext): Logger =>
  quietLog(prettyLogger(context, logLevelOf(context.env['LOG_LEVEL'])));

/** The log of an operator outside of a pod. On a terminal, the log has short lines; otherwise, it has JSON lines as in a pod. */
export const operatorLog = (context: CliContext): Logger =>
  context.isTerminal ? personLog(context) : quietLog(createLogger(logLevelOf(context.env['LOG_LEVEL'])));
