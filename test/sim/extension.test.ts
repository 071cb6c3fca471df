import { underAnySchedule } from './any-schedule.ts';
import { extensionCases } from './scenarios/extension.ts';

underAnySchedule('an extension of an existing kind', extensionCases, {
  schedules: 20 * extensionCases.length,
  soak: 500 * extensionCases.length,
});
