import { underAnySchedule } from './any-schedule.ts';
import { appServiceCases } from './scenarios/app-service.ts';

underAnySchedule('AppService', appServiceCases, { schedules: 60 });
