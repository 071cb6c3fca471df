import type { ReportEvent, ReportField } from './report-run.ts';

/** Default maximum number of events for {@link boundedEvents}. */
export const MAX_REPORT_EVENTS = 20_000;

const mergedFields = (
  first: readonly ReportField[] = [],
  next: readonly ReportField[] = [],
): readonly ReportField[] => {
  const fields = new Map(first.map((field) => [field[0], field] as const));
  for (const [path, before, after] of next)
    fields.set(path, [path, fields.has(path) ? (fields.get(path)?.[1] ?? null) : before, after]);
  return [...fields.values()].filter(([, before, after]) => before !== after);
};

/** Whether an event can be merged: a write that changes an object, a pass, or a Kubernetes Event, unless it is a failure. */
const isSmall = ({ sort, effect, isBad }: ReportEvent): boolean =>
  isBad !== true && (sort === 'event' || sort === 'pass' || (sort === 'write' && effect === 'changed'));

const mergedEvent = (first: ReportEvent, next: ReportEvent): ReportEvent => {
  const merged = (first.merged ?? 1) + 1;
  const fields = mergedFields(first.fields, next.fields);
  const { fields: _fields, ...rest } = { ...first, ...next };
  const isPass = next.sort === 'pass';
  const who = isPass ? next.who : [...new Set([...first.who.split(', '), next.who])].join(', ');
  const what = `${merged} ${isPass ? 'passes' : 'changes'}, the last one: ${next.what}`;
  return { ...rest, who, what, merged, ...(fields.length > 0 && { fields }) };
};

/** Moves the causes to the new places of their events. A cause that is merged into the event itself, or into a later one, is dropped. */
const withMovedCauses = (
  merged: readonly (ReportEvent | undefined)[],
  into: ReadonlyMap<number, number>,
): readonly ReportEvent[] => {
  const kept = merged.filter((event) => event !== undefined);
  const places: number[] = [];
  let place = kept.length;
  for (let index = merged.length - 1; index >= 0; index -= 1)
    places[index] = merged[index] === undefined ? (places[into.get(index) ?? -1] ?? -1) : (place -= 1);
  return kept.map(({ cause, ...event }, index) => {
    const moved = places[cause ?? -1] ?? index;
    return moved < index ? { ...event, cause: moved } : event;
  });
};

const mergedWithin = (events: readonly ReportEvent[], windowMs: number): readonly ReportEvent[] => {
  /** The events at their old indexes; `undefined` for an event that is merged into a later one. */
  const merged: (ReportEvent | undefined)[] = [];
  const into = new Map<number, number>();
  const open = new Map<string, { readonly index: number; readonly fromMs: number }>();
  for (const [index, event] of events.entries()) {
    const key = `${event.object} ${event.sort}`;
    const last = open.get(key);
    const first = last && merged[last.index];
    const isNear = last !== undefined && event.atMs - last.fromMs <= windowMs;
    if (!isSmall(event)) open.delete(key);
    else open.set(key, { index, fromMs: isNear ? last.fromMs : event.atMs });
    if (isSmall(event) && isNear && first !== undefined) {
      merged[last.index] = undefined;
      into.set(last.index, index);
      merged.push(mergedEvent(first, event));
    } else merged.push(event);
  }
  return withMovedCauses(merged, into);
};

/**
 * Bounds the number of events. If there are too many, changes of the same object within a period are merged. The period grows
 * until the events fit. Creations, deletions, failures and changes by users are never merged. If too many events remain, the last
 * events are left out. Causes stay with their events, unless a cause is merged into a later event.
 *
 * @returns the events, and sentences about what was merged or left out
 */
export const boundedEvents = (
  events: readonly ReportEvent[],
  max = MAX_REPORT_EVENTS,
): { readonly events: readonly ReportEvent[]; readonly notes: readonly string[] } => {
  if (events.length <= max) return { events, notes: [] };
  let bounded = events;
  for (let windowMs = 1000; bounded.length > max && windowMs < 86_400_000; windowMs *= 4)
    bounded = mergedWithin(events, windowMs);
  const notes = [
    `The run has ${events.length} events. The report merges similar changes of the same object, so that it shows ${Math.min(bounded.length, max)} events.`,
  ];
  if (bounded.length <= max) return { events: bounded, notes };
  const missing = `The last ${bounded.length - max} events are left out.`;
  return { events: bounded.slice(0, max), notes: [...notes, missing] };
};
