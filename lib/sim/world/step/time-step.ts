import type { VirtualClock } from './clock.ts';
import { silently, type WorldStep } from './step.ts';

/** The label of the step that advances the time until something is due. The label `time passes to +1.5s` names a time instead. */
const TIME_PASSES = 'time passes';
const TIME_PASSES_TO = /^time passes to \+(\d+(?:\.\d+)?)s$/;

/** The step that advances the time to `dueMs`, in milliseconds since the start; `undefined` when `dueMs` is Infinity. */
export const timePasses = (clock: VirtualClock, dueMs: number): WorldStep | undefined =>
  dueMs === Infinity ? undefined : { label: TIME_PASSES, nature: 'time', run: silently(() => clock.advanceTo(dueMs)) };

/** The step with this label, if the label is that of an advance of time; otherwise `undefined`. */
export const timeStepOf = (label: string, clock: VirtualClock, dueMs: number): WorldStep | undefined => {
  const seconds = TIME_PASSES_TO.exec(label)?.[1];
  if (seconds === undefined) return label === TIME_PASSES ? timePasses(clock, dueMs) : undefined;
  return { label, nature: 'time', run: silently(() => clock.advanceTo(Math.round(Number(seconds) * 1000))) };
};
