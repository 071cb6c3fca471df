import type { VirtualClock } from './clock.ts';
import { silently, type WorldStep } from './step.ts';

/** The only step of its nature; `time passes to +1.5s` names a moment instead. */
const TIME_PASSES = 'time passes';
const TIME_PASSES_TO = /^time passes to \+(\d+(?:\.\d+)?)s$/;

/** Lets time pass until something is due, in milliseconds since the start; `undefined` when nothing ever is. */
export const timePasses = (clock: VirtualClock, dueMs: number): WorldStep | undefined =>
  dueMs === Infinity ? undefined : { label: TIME_PASSES, nature: 'time', run: silently(() => clock.advanceTo(dueMs)) };

/** The step of a label that is about time; `undefined` for any other. */
export const timeStepOf = (label: string, clock: VirtualClock, dueMs: number): WorldStep | undefined => {
  const seconds = TIME_PASSES_TO.exec(label)?.[1];
  if (seconds === undefined) return label === TIME_PASSES ? timePasses(clock, dueMs) : undefined;
  return { label, nature: 'time', run: silently(() => clock.advanceTo(Math.round(Number(seconds) * 1000))) };
};
