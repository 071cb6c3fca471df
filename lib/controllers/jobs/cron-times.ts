import type { CronField, CronSchedule } from '#lib/apiserver/builtin/batch/cron-schedule.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const YEARS = 5;

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  let format = formats.get(timeZone);
  if (!format) {
    const [numeric, hourCycle] = ['numeric', 'h23'] as const;
    const fields = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
    format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle, ...fields });
    formats.set(timeZone, format);
  }
  return format;
};

/** The offset of a time zone from UTC at a time, in milliseconds. */
const offsetAt = (timeZone: string, time: number): number => {
  if (timeZone === 'UTC' || timeZone === 'Local') return 0;
  const parts = formatOf(timeZone).formatToParts(time);
  const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value);
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall - Math.floor(time / 1000) * 1000;
};

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** A time in RFC 3339, with the offset of a time zone: `2026-01-01T01:00:00+01:00`, or `Z` for the offset 0. */
export const zonedTimestamp = (time: number, timeZone: string): string => {
  const offset = offsetAt(timeZone, time);
  const wall = new Date(time + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${wall}Z`;
  const minutes = Math.abs(offset) / MINUTE_MS;
  return `${wall}${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
};

const isOn = ({ values }: CronField, value: number): boolean => values.has(value);

type Calendar = Exclude<CronSchedule, { readonly everyMs: number }>;

const isDay = ({ dayOfMonth, dayOfWeek, month }: Calendar, wall: Date): boolean => {
  if (!isOn(month, wall.getUTCMonth() + 1)) return false;
  const days = [isOn(dayOfMonth, wall.getUTCDate()), isOn(dayOfWeek, wall.getUTCDay())];
  return dayOfMonth.isAny || dayOfWeek.isAny ? days.every(Boolean) : days.some(Boolean);
};

/**
 * The first time of a schedule after a time, in epoch milliseconds; undefined when there is none up to the end of the fifth
 * following year.
 *
 * @see github.com/robfig/cron v3.0.1 spec.go (`Next`)
 */
export const nextTime = (schedule: CronSchedule, after: number, timeZone: string): number | undefined => {
  const second = Math.floor(after / 1000) * 1000;
  if ('everyMs' in schedule) return second + schedule.everyMs;
  const zone = schedule.timeZone ?? timeZone;
  const limit = new Date(after).getUTCFullYear() + YEARS;
  let time = Math.ceil((second + 1000) / MINUTE_MS) * MINUTE_MS;
  for (;;) {
    const wall = new Date(time + offsetAt(zone, time));
    if (wall.getUTCFullYear() > limit) return undefined;
    const [hour, minute] = [wall.getUTCHours(), wall.getUTCMinutes()];
    const nextHour = time + HOUR_MS - minute * MINUTE_MS;
    // The last hours of a day are tried one by one, because a day with a change of the UTC offset does not have 24 hours.
    if (!isDay(schedule, wall)) time = nextHour + Math.max(0, 21 - hour) * HOUR_MS;
    else if (!isOn(schedule.hour, hour)) time = nextHour;
    else if (isOn(schedule.minute, minute)) return time;
    else time += MINUTE_MS;
  }
};

/** The scheduled times between a start and now. */
export interface MissedTimes {
  /** The start of the search, in epoch milliseconds. */
  readonly earliest: number;
  /**
   * The last scheduled time that is not after now, in epoch milliseconds; undefined when there is none, or when the search misses
   * it because the intervals of the schedule differ.
   */
  readonly latest?: number;
  readonly isMissed: boolean;
}

/**
 * Finds the last scheduled time between `earliest` and now. `isMissed` is true if there are at least two such times.
 *
 * @returns undefined for a schedule without times, such as 31 February, or with times less than 1 s apart
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/cronjob/utils.go (`mostRecentScheduleTime`)
 */
export const missedTimes = (
  next: (after: number) => number | undefined,
  { earliest, now }: { readonly earliest: number; readonly now: number },
): MissedTimes | undefined => {
  const first = next(earliest);
  if (first === undefined) return undefined;
  if (now < first) return { earliest, isMissed: false };
  const second = next(first);
  if (second === undefined || second - first < 1000) return undefined;
  if (now < second) return { earliest, latest: first, isMissed: false };
  const missed = Math.floor((now - first) / (second - first)) + 1;
  let latest: number | undefined;
  let time = next(first + (missed - 2) * (second - first));
  while (time !== undefined && time <= now) {
    latest = time;
    time = next(time);
  }
  return { earliest, ...(latest !== undefined && { latest }), isMissed: true };
};
