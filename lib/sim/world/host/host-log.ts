import type { ManagerOptions } from '#lib/loop/manager/manager.ts';

const isSaid = (level: string): boolean => level !== 'debug';

const logTo = (note: (text: string) => void, level: string) => (fields: object, message: string) => {
  if (!isSaid(level)) return;
  const { key, reason, error } = fields as { key?: string; reason?: string; error?: unknown };
  const details = [key, reason, error instanceof Error ? error.message : undefined].filter(
    (part) => part !== undefined,
  );
  note([message, ...details].join(' · '));
};

/** The log of a process. Each message of level info or higher becomes one line. */
export const hostLog = (note: (text: string) => void): ManagerOptions['log'] => {
  const log: ManagerOptions['log'] = {
    debug: logTo(note, 'debug'),
    info: logTo(note, 'info'),
    warn: logTo(note, 'warn'),
    error: logTo(note, 'error'),
    child: () => log,
  };
  return log;
};
