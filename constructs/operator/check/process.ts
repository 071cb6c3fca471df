import { startMemory } from '#constructs/operator/process/memory.ts';
import { type CheckedProps, LOG_LEVELS } from '#constructs/operator/props.ts';
import { EVENTS_SETTINGS, isEventsSetting } from '#lib/desired/settings/events-setting.ts';
import { isInRange, rangeText, TUNING, TUNING_NAMES } from '#lib/desired/settings/tuning.ts';
import type { Refuse } from './hosts.ts';

const MOST_MIB = 65_536;

/** The process of the bundle has a lease of 15 s, and a write may take two thirds of the lease duration. */
const MAX_WRITE_TIMEOUT_SECONDS = 10;

const RANGES = { ...TUNING, writeTimeoutSeconds: { ...TUNING.writeTimeoutSeconds, max: MAX_WRITE_TIMEOUT_SECONDS } };

const checkMemory = (refuse: Refuse, { memoryMiB, kinds }: CheckedProps): void => {
  const { leastMiB, text } = startMemory(kinds.length);
  if (Number.isInteger(memoryMiB) && memoryMiB >= leastMiB && memoryMiB <= MOST_MIB) return;
  const fix = `expected a whole number from ${leastMiB} to ${MOST_MIB}: ${text}`;
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
    if (value === undefined || isInRange(value, RANGES[name])) continue;
    const fix = `expected ${rangeText(RANGES[name])}`;
    refuse({ rule: 'tuning', path: name, message: `${name} is ${JSON.stringify(value)}`, fix });
  }
};

/**
 * Refuses invalid values of `memoryMiB`, `logLevel`, `events` and the tuning options. For the tuning options, the process
 * checks the same ranges at its start.
 */
export const checkProcess = (refuse: Refuse, props: CheckedProps): void => {
  checkMemory(refuse, props);
  checkLogLevel(refuse, props);
  checkEvents(refuse, props);
  checkTuning(refuse, props);
};
