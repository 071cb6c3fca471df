const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const STEPS_MS = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * DAY_MS),
];

/** A mark on an axis. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

const two = (count: number): string => String(count).padStart(2, '0');

const timeLabel = (ms: number, stepMs: number): string => {
  if (stepMs >= DAY_MS) return `${ms / DAY_MS} d`;
  const [hours, minutes] = [Math.floor(ms / HOUR_MS), Math.floor((ms % HOUR_MS) / MINUTE_MS)];
  if (stepMs >= HOUR_MS) return `${hours} h`;
  if (stepMs < SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  const seconds = two(Math.floor((ms % MINUTE_MS) / SECOND_MS));
  return hours === 0 ? `${minutes}:${seconds}` : `${hours}:${two(minutes)}:${seconds}`;
};

/** Returns round times from 0 to a duration, with at most `most` intervals. */
export const timeTicks = (durationMs: number, most: number): readonly Tick[] => {
  const stepMs = STEPS_MS.find((step) => durationMs / step <= most) ?? durationMs;
  const ticks: Tick[] = [];
  for (let at = 0; at <= durationMs; at += stepMs) ticks.push({ at, label: timeLabel(at, stepMs) });
  return ticks;
};

/** Returns round numbers from 0 up to `largest`, with at most `most` intervals. */
export const countTicks = (largest: number, most: number): readonly Tick[] => {
  let step = 1;
  for (let power = 1; Math.ceil(largest / step) > most; power *= 10) {
    step = [2, 5, 10].map((factor) => factor * power).find((one) => Math.ceil(largest / one) <= most) ?? 10 * power;
  }
  const count = Math.max(1, Math.floor(largest / step));
  return Array.from({ length: count + 1 }, (_, index) => ({ at: index * step, label: String(index * step) }));
};
