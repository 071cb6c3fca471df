import { underAnySchedule } from './any-schedule.ts';
import { elsewhereCases } from './scenarios/elsewhere.ts';

underAnySchedule('a kind with children elsewhere', elsewhereCases, {
  schedules: 12 * elsewhereCases.length,
  soak: 500 * elsewhereCases.length,
});
