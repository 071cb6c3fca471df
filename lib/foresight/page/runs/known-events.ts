import { ownershipsOf } from '#lib/desired/marks/ownership.ts';
import { type LiveObject, nameInWords, type ObjectName } from '#lib/foresight/cluster/live-object.ts';
import type { ChangeResult } from '#lib/foresight/plan/change.ts';
import { type FieldChange, fieldChanges, valueChanges } from '#lib/foresight/plan/field-changes.ts';
import type { PlannedWrite } from '#lib/foresight/plan/planned-write.ts';
import { MAX_REPORT_EVENTS } from '../bounded-events.ts';
import { reportFieldsOf } from '../field-values.ts';
import type { ReportEvent } from '../report-run.ts';
import type { PageObjects } from './write-events.ts';

/** The parts of a plan that are about objects. */
export interface PlannedEvents {
  readonly changes?: readonly ChangeResult[];
  readonly writes: readonly PlannedWrite[];
  readonly garbage?: readonly ObjectName[];
}

/** What a plan says about an object. */
interface Mention {
  readonly name: ObjectName;
  readonly isNew: boolean;
  readonly changed: FieldChange[];
}

/** The objects of a plan by index, in the order of the plan. */
const mentionsOf = (
  { changes = [], writes, garbage = [] }: PlannedEvents,
  objects: PageObjects,
): ReadonlyMap<number, Mention> => {
  const mentions = new Map<number, Mention>();
  const mention = (name: ObjectName, isNew: boolean, fields: readonly FieldChange[] = []): void => {
    const index = objects.indexOf(name);
    const known = mentions.get(index);
    if (known === undefined) mentions.set(index, { name, isNew, changed: [...fields] });
    else known.changed.push(...fields);
  };
  for (const change of changes) mention(change, /created|refused/.test(change.outcome), change.fields);
  for (const write of writes) {
    mention(write.owner, false);
    mention(write, write.action === 'create', write.fields);
  }
  for (const object of garbage) mention(object, false);
  return mentions;
};

const liveName = ({ apiVersion, kind, metadata }: LiveObject, objects: PageObjects): ObjectName => {
  const named = { apiVersion, kind, namespace: metadata.namespace ?? 'default', name: metadata.name };
  return metadata.namespace !== undefined || objects.has(named) ? named : { ...named, namespace: '' };
};

/** The live objects that a plan is about, and all objects below them, by index. */
const familyOf = (live: readonly LiveObject[], objects: PageObjects): ReadonlyMap<number, LiveObject> => {
  const children = Map.groupBy(live, (object) => ownershipsOf(object)[0]?.owner.uid);
  const family = new Map<number, LiveObject>();
  const uids = new Set<string | undefined>();
  const add = (object: LiveObject): void => {
    const { uid } = object.metadata;
    if (uids.has(uid)) return;
    family.set(objects.indexOf(liveName(object, objects)), object);
    if (uid === undefined) return;
    uids.add(uid);
    for (const child of children.get(uid) ?? []) add(child);
  };
  for (const object of live.filter((each) => objects.has(liveName(each, objects)))) add(object);
  return family;
};

/** A field of an object. A list or an empty value is split if a later change names a part of it. */
const partsOf = ({ path, after }: FieldChange, later: readonly string[]): readonly FieldChange[] => {
  const below = later.filter((other) => other.startsWith(path) && /^[.[]/.test(other.slice(path.length)));
  if (below.length === 0 || typeof after !== 'object') return [{ path, after }];
  const parts = valueChanges(Array.isArray(after) ? Array.from(after, () => undefined) : {}, after);
  return parts.flatMap((part) => partsOf({ ...part, path: `${path}${part.path}` }, below));
};

const valuesOf = (object: LiveObject, changed: readonly FieldChange[]): readonly FieldChange[] => {
  const later = [...new Set(changed.map(({ path }) => path))];
  return fieldChanges(undefined, object)
    .filter(({ path }) => path !== 'apiVersion' && path !== 'kind')
    .flatMap((field) => partsOf(field, later));
};

/** The first old value of each changed field. */
const valuesBefore = (changed: readonly FieldChange[]): readonly FieldChange[] => {
  const first = new Map(changed.toReversed().map((change) => [change.path, change]));
  return [...first.values()].flatMap(({ path, before }) => (before === undefined ? [] : [{ path, after: before }]));
};

/**
 * The objects before a plan as events, and sentences about unknown and omitted objects. If an object exists only in another API
 * version, its event has the old values of the changed fields.
 *
 * @param planned - the parts of the plan
 * @param objects - the objects of the page
 * @param live - the objects before the plan
 */
export const knownEvents = (
  planned: PlannedEvents,
  objects: PageObjects,
  live: readonly LiveObject[],
): { readonly events: readonly ReportEvent[]; readonly notes: readonly string[] } => {
  const mentions = mentionsOf(planned, objects);
  const family = familyOf(live, objects);
  const byUid = new Map([...family].map(([index, { metadata }]) => [metadata.uid, index]));
  const names = new Set(live.map((object) => nameInWords(liveName(object, objects))));
  const partly = [...mentions].flatMap(([index, { name, isNew }]) =>
    isNew || family.has(index) || !names.has(nameInWords(name)) ? [] : [index],
  );
  const existing = [...partly, ...family.keys()].toSorted((a, b) => a - b);
  const shown = existing.slice(0, MAX_REPORT_EVENTS / 2);
  const events = shown.map((object): ReportEvent => {
    const whole = family.get(object);
    const { changed = [] } = mentions.get(object) ?? {};
    return {
      atMs: 0,
      sort: 'known',
      who: '',
      object,
      what: whole === undefined ? 'exists; only the changed fields are known' : 'exists',
      effect: 'created',
      owner: (whole && byUid.get(ownershipsOf(whole)[0]?.owner.uid ?? '')) ?? -1,
      fields: reportFieldsOf(whole === undefined ? valuesBefore(changed) : valuesOf(whole, changed)),
    };
  });
  const omitted = existing.length - shown.length;
  return {
    events,
    notes: [
      ...(partly.length === 0
        ? []
        : [`Existing objects in another API version, of which only the changed fields are known: ${partly.length}.`]),
      ...(omitted === 0 ? [] : [`The state before the plan is left out for ${omitted} existing objects.`]),
    ],
  };
};
