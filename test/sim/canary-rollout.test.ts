import { underAnySchedule } from './any-schedule.ts';
import { canaryCases } from './scenarios/canary-rollout.ts';

underAnySchedule('CanaryRollout', canaryCases, { schedules: 300 });
