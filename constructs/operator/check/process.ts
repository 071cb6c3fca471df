import { CERTIFICATES } from '#constructs/operator/conversion.ts';
import { startMemory } from '#constructs/operator/process/memory.ts';
import { type CheckedProps, LOG_LEVELS } from '#constructs/operator/props.ts';
import { EVENTS_SETTINGS } from '#lib/desired/settings/events-setting.ts';
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

/** Files of JavaScript may have values that the types exclude. */
const checkChoices = (refuse: Refuse, { conversion, ...props }: CheckedProps): void => {
  const { podGuard = true, logLevel = 'info', events = 'all' } = props;
  const choices: readonly (readonly [rule: string, path: string, value: unknown, of: readonly unknown[]])[] = [
    ['pod-guard', 'podGuard', podGuard, [true, 'warn', false]],
    ['log-level', 'logLevel', logLevel, LOG_LEVELS],
    ['events', 'events', events, EVENTS_SETTINGS],
    ['conversion', 'conversion.certificate', conversion?.certificate ?? 'own', CERTIFICATES],
  ];
  for (const [rule, path, value, of] of choices.filter(([, , value, of]) => !of.includes(value)))
    refuse({ rule, path, message: `${path} is ${JSON.stringify(value)}`, fix: `expected one of ${of.join(', ')}` });
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
 * Refuses invalid values of `memoryMiB`, of options with a list of values, and of the tuning options. For the tuning options, the
 * process checks the same ranges at its start, and the write timeout also depends on its lease.
 */
export const checkProcess = (refuse: Refuse, props: CheckedProps): void => {
  checkMemory(refuse, props);
  checkChoices(refuse, props);
  checkTuning(refuse, props);
};
