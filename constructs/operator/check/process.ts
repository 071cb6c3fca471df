import { type CheckedProps, LOG_LEVELS } from '#constructs/operator/props.ts';
import { EVENTS_SETTINGS, isEventsSetting } from '#lib/desired/settings/events-setting.ts';
import { isInRange, rangeText, TUNING, TUNING_NAMES } from '#lib/desired/settings/tuning.ts';
import type { Refuse } from './hosts.ts';

const checkMemory = (refuse: Refuse, { memoryMiB }: CheckedProps): void => {
  if (Number.isInteger(memoryMiB) && memoryMiB >= 128 && memoryMiB <= 65_536) return;
  const fix = 'expected a whole number from 128 to 65536';
  refuse({ rule: 'memory', path: 'memoryMiB', message: `memoryMiB is ${memoryMiB}`, fix });
};

const checkLogLevel = (refuse: Refuse, { logLevel = 'info' }: CheckedProps): void => {
  if (LOG_LEVELS.includes(logLevel)) return;
  const fix = `expected one of ${LOG_LEVELS.join(', ')}`;
  refuse({ rule: 'log-level', path: 'logLevel', message: `logLevel is ${JSON.stringify(logLevel)}`, fix });
};

const checkEvents = (refuse: Refuse, { events = 'all' }: CheckedProps): void => {
  if (isEventsSetting(events)) return;
  const fix = `expected one of ${EVENTS_SETTINGS.join(', ')}`;
  refuse({ rule: 'events', path: 'events', message: `events is ${JSON.stringify(events)}`, fix });
};

const checkTuning = (refuse: Refuse, props: CheckedProps): void => {
  for (const name of TUNING_NAMES) {
    const value = props[name];
    if (value === undefined || isInRange(value, TUNING[name])) continue;
    const fix = `expected ${rangeText(TUNING[name])}`;
    refuse({ rule: 'tuning', path: name, message: `${name} is ${JSON.stringify(value)}`, fix });
  }
};

/**
 * Checks the settings of the process with the parser of the process. Otherwise, an operator could be installed whose process
 * refuses its settings when it starts.
 */
export const checkProcess = (refuse: Refuse, props: CheckedProps): void => {
  checkMemory(refuse, props);
  checkLogLevel(refuse, props);
  checkEvents(refuse, props);
  checkTuning(refuse, props);
};
