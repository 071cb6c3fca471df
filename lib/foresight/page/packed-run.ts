import type { ReportEvent, ReportField, ReportRun } from './report-run.ts';

/** An event whose fields are indexes into the texts of the page: path, before, after, path, …; -1 for no value. */
interface PackedEvent extends Omit<ReportEvent, 'fields'> {
  readonly fields?: readonly number[];
}

/** A run as a page contains it. Paths and values repeat in most events, so the page contains each text once. */
export interface PackedRun extends Omit<ReportRun, 'events'> {
  readonly texts: readonly string[];
  readonly events: readonly PackedEvent[];
}

/** Replaces the paths and values of fields by indexes into a list of texts. */
export const packRun = (run: ReportRun): PackedRun => {
  const indexes = new Map<string, number>();
  const indexOf = (text: string | null): number => {
    if (text === null) return -1;
    let index = indexes.get(text);
    if (index === undefined) indexes.set(text, (index = indexes.size));
    return index;
  };
  const events = run.events.map(({ fields, ...event }) =>
    fields === undefined ? event : { ...event, fields: fields.flatMap((field) => field.map(indexOf)) },
  );
  return { ...run, events, texts: [...indexes.keys()] };
};

/** The inverse of {@link packRun}. */
export const unpackRun = ({ texts, ...run }: PackedRun): ReportRun => {
  const textAt = (index: number | undefined): string | null => texts[index ?? -1] ?? null;
  const unpacked = (fields: readonly number[]): ReportField[] => {
    const all: ReportField[] = [];
    for (let place = 0; place < fields.length; place += 3)
      all.push([textAt(fields[place]) ?? '', textAt(fields[place + 1]), textAt(fields[place + 2])]);
    return all;
  };
  const events = run.events.map(
    ({ fields, ...event }): ReportEvent => (fields === undefined ? event : { ...event, fields: unpacked(fields) }),
  );
  return { ...run, events };
};
