import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { ownershipsOf } from '#lib/desired/marks/ownership.ts';
import { saidBy } from '#lib/foresight/simulate/observe/band.ts';
import type { ChildReason, ObservedChange, SimulationListener } from '#lib/foresight/simulate/observe/listener.ts';
import type { TimelineEntry } from '#lib/foresight/simulate/report/report.ts';
import { groupOf } from '#lib/kind/handles/reference.ts';
import { type FieldValues, fieldValuesOf, reportFieldsBetween } from './field-values.ts';
import { fieldsInWords } from './fields-in-words.ts';
import { foldedHistory } from './live/folded-history.ts';
import type { ReportEffect, ReportEvent, ReportField, ReportMood, ReportObject } from './report-run.ts';

/** Kinds that a report page hides, because their objects belong to the setup of the virtual cluster. */
const HIDDEN_KINDS = new Set(['CustomResourceDefinition', 'Namespace']);

type State = readonly [text: string, mood: ReportMood];

const POD_MOODS: Readonly<Record<string, ReportMood>> = {
  ready: 'calm',
  created: 'busy',
  'not ready': 'bad',
  failed: 'bad',
  terminating: 'waiting',
  over: 'over',
};

interface KnownObject {
  index: number;
  fields: FieldValues;
  owner: number;
  state: string;
}

/** An entry of a timeline, for the page of a run. */
export interface RecordedEntry extends TimelineEntry {
  /** The API version of the object; absent if it is unknown. */
  readonly apiVersion?: string;
}

/** The text of an object, such as `PodSet default/web`, and its API version if it is known. */
export type ObjectMention = Pick<RecordedEntry, 'object' | 'apiVersion'>;

const nothing: FieldValues = new Map();

/** The key of a write: the API group, the kind and the name of the object. */
const writtenKey = ({ apiVersion, kind, name }: Omit<ChildReason, 'why'>): string =>
  `${groupOf(apiVersion)} ${kind} ${name}`;

const isDeleting = (object: ServerObject | undefined): boolean => object?.metadata.deletionTimestamp !== undefined;

/** The text of an event about a subject that is not recorded, such as `Node node-a: lost` or `operator crashed`. */
const withSubject = (subject: string, what: string): string =>
  subject === '' ? what : `${subject}${subject.includes(' ') ? ':' : ''} ${what}`;

const effectOf = ({ now, before }: ObservedChange): ReportEffect => {
  if (now === undefined) return 'deleted';
  return before === undefined ? 'created' : 'changed';
};

/**
 * Records a simulation or a cluster for a page. The recorder keeps the last fields of each object as text, and not the object
 * itself.
 */
export class RunRecorder implements SimulationListener {
  readonly objects: ReportObject[] = [];
  readonly #events: ReportEvent[] = [];
  readonly #known = new Map<string, KnownObject>();
  /** Index of the last write of an operator to each object, by {@link writtenKey}. */
  readonly #written = new Map<string, number>();
  /** Index of the first event of the current virtual step. */
  #step = 0;

  /** The recorded events, in order. */
  get events(): readonly ReportEvent[] {
    return this.#events;
  }

  begins(): void {
    this.#step = this.#events.length;
  }

  because({ why, ...child }: ChildReason): void {
    const name = child.name.slice(child.name.lastIndexOf('/') + 1);
    const index = this.#written.get(writtenKey({ ...child, name }));
    const event = index === undefined ? undefined : this.#events[index];
    if (index !== undefined && event !== undefined) this.#events[index] = { why, ...event };
  }

  told({ atMs, sort, who, what, why, isBad, ...mention }: RecordedEntry): void {
    const known = this.#objectOf(mention);
    const event = {
      atMs,
      sort,
      who,
      ...(known !== undefined && { object: known }),
      what: known === undefined ? withSubject(mention.object, what) : what,
      ...(why !== undefined && { why }),
      ...(isBad && { isBad }),
    };
    // The observer reports the changes by a user after the resulting writes, so they are inserted before the writes, in order.
    if (sort === 'change') this.#events.splice(this.#step++, 0, event);
    else this.#events.push(event);
  }

  /** Whether an object was recorded. */
  hasObject(mention: ObjectMention): boolean {
    return this.#objectOf(mention) !== undefined;
  }

  changed(change: ObservedChange): void {
    const object = change.now ?? change.before;
    if (object === undefined || HIDDEN_KINDS.has(object.kind)) return;
    const known = this.#knownOf(object);
    const effect = effectOf(change);
    const fields = change.now === undefined ? nothing : fieldValuesOf(change.now);
    const changes = change.now === undefined ? [] : reportFieldsBetween(known.fields, fields);
    known.fields = fields;
    const state = this.#stateOf(known, change);
    const owner = this.#ownerOf(known, change.now);
    const isBad = change.entries.some((entry) => entry.isBad === true);
    if (change.who.startsWith('operator'))
      this.#written.set(writtenKey({ ...object, name: object.metadata.name }), this.#events.length);
    this.#events.push({
      atMs: change.atMs,
      sort: change.sort ?? 'write',
      who: change.who,
      object: known.index,
      what: this.#words(change, changes),
      effect,
      ...(isBad && { isBad }),
      ...(owner !== undefined && { owner }),
      ...(state !== undefined && { state }),
      ...(changes.length > 0 && { fields: changes }),
    });
  }

  /**
   * Merges all events before an index: each object that existed then begins with one event. All indexes of events and objects
   * change.
   *
   * @param cut - the index of the first event that stays as it is
   * @returns the time of that event, which is the time 0 from then on
   */
  fold(cut: number): number {
    const { events, objects, indexes, fromMs } = foldedHistory(this, cut);
    this.#events.splice(0, Infinity, ...events);
    this.objects.splice(0, Infinity, ...objects);
    this.#written.clear();
    this.#step = 0;
    for (const [uid, known] of this.#known) {
      const index = indexes.get(known.index);
      if (index === undefined) this.#known.delete(uid);
      else known.index = index;
      if (known.owner >= 0) known.owner = indexes.get(known.owner) ?? -2;
    }
    return fromMs;
  }

  #words(change: ObservedChange, fields: readonly ReportField[]): string {
    const { now, before, entries } = change;
    const told = entries.filter(({ sort }) => sort === 'child' || sort === 'status').map(({ what }) => what);
    if (told.length > 0) return told.join('; ');
    if (now === undefined) return isDeleting(before) ? 'gone' : 'deleted';
    if (before === undefined) return 'created';
    if (!isDeleting(before) && isDeleting(now)) return 'deletion begins';
    return entries.find(({ sort }) => sort === 'pods')?.what ?? fieldsInWords(fields);
  }

  #knownOf(object: ServerObject): KnownObject {
    const { uid, name, namespace } = object.metadata;
    let known = this.#known.get(uid);
    if (known === undefined) {
      known = { index: this.objects.length, fields: nothing, owner: -2, state: '' };
      this.#known.set(uid, known);
      const group = groupOf(object.apiVersion);
      this.objects.push({
        kind: object.kind,
        ...(group !== '' && { group }),
        name,
        ...(namespace !== undefined && { namespace }),
      });
    }
    return known;
  }

  /** The index of the newest object with this text, and of this API group if it is known; `undefined` if there is none. */
  #objectOf({ object: text, apiVersion }: ObjectMention): number | undefined {
    if (text === '') return undefined;
    const wanted = apiVersion === undefined ? undefined : groupOf(apiVersion);
    const place = this.objects.findLastIndex(
      ({ kind, group = '', namespace, name }) =>
        `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}` === text && (wanted ?? group) === group,
    );
    return place === -1 ? undefined : place;
  }

  #ownerOf(known: KnownObject, now: ServerObject | undefined): number | undefined {
    if (now === undefined) return undefined;
    const [ownership] = ownershipsOf(now);
    const owner = (ownership && this.#known.get(ownership.owner.uid)?.index) ?? -1;
    if (owner === known.owner) return undefined;
    known.owner = owner;
    return owner;
  }

  #stateOf(known: KnownObject, { now, entries }: ObservedChange): State | undefined {
    if (now === undefined) return undefined;
    const pods = entries.find(({ sort }) => sort === 'pods')?.what;
    const said = now.kind === 'Pod' ? undefined : saidBy(now);
    const text = pods ?? said?.text ?? (isDeleting(now) ? 'terminating' : undefined);
    if (text === undefined) return undefined;
    const mood = said?.mood ?? POD_MOODS[text] ?? 'busy';
    const key = `${mood} ${text}`;
    if (key === known.state) return undefined;
    known.state = key;
    return [text, mood];
  }
}
