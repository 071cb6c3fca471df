import { underAnySchedule } from './any-schedule.ts';
import { siteCases } from './scenarios/site.ts';

underAnySchedule('a kind with changing children and a finalizer', siteCases, {
  schedules: 10 * siteCases.length,
  soak: 500 * siteCases.length,
});
