import { underAnySchedule } from './any-schedule.ts';
import { stampCases } from './scenarios/stamp.ts';

underAnySchedule('a kind whose names contain the time', stampCases, { schedules: 12, soak: 500 });
