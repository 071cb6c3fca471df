import type { Logger } from '#lib/telemetry/log.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Log lines of every start and end. If the function returns true, `dev` prints the same information, and the line is dropped. */
const USUAL: Readonly<Record<string, (fields: Fields) => boolean>> = {
  'operator started': () => true,
  'caches filled, loop started': ({ without }) => without === undefined,
  'operator stopping': ({ reason }) => reason === 'SIGTERM',
};

/** Drops the log lines that every restart repeats. */
export const withoutUsualLife = (log: Logger): Logger => ({
  debug: (fields, message) => log.debug(fields, message),
  info: (fields, message) => {
    if (USUAL[message]?.({ ...fields }) !== true) log.info(fields, message);
  },
  warn: (fields, message) => log.warn(fields, message),
  error: (fields, message) => log.error(fields, message),
  child: (fields) => withoutUsualLife(log.child(fields)),
});
