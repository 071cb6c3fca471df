import { underAnySchedule } from './any-schedule.ts';
import { immortalCases } from './scenarios/immortal/cases.ts';

underAnySchedule('ImmortalContainer', immortalCases, { schedules: 300 });
