import type { Logger } from '#lib/telemetry/log.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Log lines by their message. If the function returns true, the line is dropped. */
type DroppedLines = Readonly<Record<string, (fields: Fields) => boolean>>;

/** Log lines with advice that fits only other operators. `dev` prints its own sentence about conversions. */
export const UNSUITABLE_LINES: DroppedLines = {
  'their versions are converted by a webhook, which is not served: set CONVERSION_SERVICE': () => true,
};

/** Also the log lines of every start and end, for which `dev` prints the same information. */
const USUAL_LINES: DroppedLines = {
  ...UNSUITABLE_LINES,
  'operator started': () => true,
  'caches filled, loop started': ({ without }) => without === undefined,
  'operator stopping': ({ reason }) => reason === 'SIGTERM',
};

/** Drops the log lines that every restart repeats, or only the lines of `dropped`. Debug lines and errors stay. */
export const withoutUsualLife = (log: Logger, dropped = USUAL_LINES): Logger => {
  const kept =
    (level: 'info' | 'warn') =>
    (fields: object, message: string): void => {
      if (dropped[message]?.({ ...fields }) !== true) log[level](fields, message);
    };
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: kept('info'),
    warn: kept('warn'),
    error: (fields, message) => log.error(fields, message),
    child: (fields) => withoutUsualLife(log.child(fields), dropped),
  };
};
