import { pino } from 'pino';
import { ApiError, ConfigurationError, isReconcileError } from '#lib/errors.ts';

/**
 * Writes structured logs: a constant message, and fields. Fields must not contain secrets, whole specs or whole error
 * responses.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A logger that adds fields to every line. */
  child(fields: Record<string, unknown>): Logger;
}

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** A log level; lower levels are not logged, and `silent` logs nothing. */
export type LoggerLevel = (typeof levels)[number];

/**
 * Reads a log level.
 *
 * @param text - such as `debug`; `undefined` and the empty string mean `info`
 * @throws {ConfigurationError} for any other value; the message lists the allowed values
 */
export const logLevelOf = (text: string | undefined): LoggerLevel => {
  if (text === undefined || text === '') return 'info';
  const level = levels.find((candidate) => candidate === text);
  if (level) return level;
  throw new ConfigurationError(`LOG_LEVEL is "${text}": set it to one of ${levels.join(', ')}`);
};

/**
 * Status codes of responses that may quote the refused object, including secrets. For these responses, the log has only the
 * names and reasons of fields.
 */
const echoesValues: ReadonlySet<number> = new Set([400, 422]);

/** The stack without message and causes: the message has its own field, and causes may contain secrets. */
const framesOf = ({ stack = '' }: Error): string[] =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());

const serializeError = (error: unknown): object => {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, code } = error as Error & { readonly code?: unknown };
  if (error instanceof ApiError && echoesValues.has(error.httpStatus)) {
    return {
      name,
      code,
      httpStatus: error.httpStatus,
      fields: error.causes.map(({ field, reason }) => ({ field, reason })),
    };
  }
  return isReconcileError(error) ? { name, code, message } : { name, code, message, stack: framesOf(error) };
};

/**
 * Makes a logger that writes JSON lines with ISO 8601 times to standard output.
 *
 * @param level - the lowest level that is written
 */
export const createLogger = (level: LoggerLevel): Logger =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: serializeError },
  });
