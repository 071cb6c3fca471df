import { createLogger, type Logger, type LogLevel, logLevelOf } from '#lib/telemetry/log.ts';
import { quietLog } from '#lib/telemetry/quiet-log.ts';
import type { CliContext, Style } from '../context.ts';
import { printable } from '../output.ts';

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

const STYLES: Readonly<Record<Exclude<LogLevel, 'silent'>, Style>> = {
  debug: 'dim',
  info: 'cyan',
  warn: 'yellow',
  error: 'red',
};

const shown = (value: unknown): string => {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
};

/** What a log for people needs to know of its process. */
export type LogContext = Pick<CliContext, 'now' | 'color' | 'stderr' | 'env'>;

const prettyLogger = (context: LogContext, level: LogLevel, bound: object = {}): Logger => {
  const write = (rank: Exclude<LogLevel, 'silent'>) => (fields: object, message: string) => {
    if (RANKS[rank] < RANKS[level]) return;
    const time = new Date(context.now()).toISOString().slice(11, 19);
    const details = Object.entries({ ...bound, ...fields }).map(([name, value]) => `${name}=${shown(value)}`);
    const line = printable(details.join(' ')).replaceAll('\n', ' ');
    context.stderr.write(`${context.color('dim', time)} ${context.color(STYLES[rank], rank)} ${message} ${line}\n`);
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => prettyLogger(context, level, { ...bound, ...fields }),
  };
};

/** Short lines for a person, wherever they go. */
export const personLog = (context: LogContext): Logger =>
  quietLog(prettyLogger(context, logLevelOf(context.env['LOG_LEVEL'])));

/** Where an operator on a laptop logs: short lines for a person at a terminal, else JSON lines as in a pod. */
export const operatorLog = (context: CliContext): Logger =>
  context.isTerminal ? personLog(context) : quietLog(createLogger(logLevelOf(context.env['LOG_LEVEL'])));
