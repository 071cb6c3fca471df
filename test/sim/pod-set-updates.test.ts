import { underAnySchedule } from './any-schedule.ts';
import { podSetUpdateCases } from './scenarios/pod-set-updates.ts';

underAnySchedule('the update of a PodSet', podSetUpdateCases, { schedules: 300 });
