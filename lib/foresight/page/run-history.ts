import type { ReportEvent, ReportField, ReportMood, ReportRun } from './report-run.ts';

/** The state of the existing objects at a moment of a run. */
export interface ObjectStates {
  /** Owner of each existing object by the index of the object; -1 for none. */
  readonly owners: ReadonlyMap<number, number>;
  readonly states: ReadonlyMap<number, readonly [text: string, mood: ReportMood]>;
}

/** A row of the tree of objects. */
export interface ObjectTreeRow {
  readonly object: number;
  /** Depth in the tree, from 0. */
  readonly depth: number;
}

/** A period in the row of an object in the timeline. */
export interface LanePeriod {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly mood: ReportMood;
}

interface MutableStates {
  owners: Map<number, number>;
  states: Map<number, readonly [string, ReportMood]>;
}

/**
 * Number of events between two stored states. The states of a moment need at most this many events on top of a stored state.
 */
const EVERY = 256;

const apply = ({ owners, states }: MutableStates, { object, effect, owner, state }: ReportEvent): void => {
  if (object === undefined || effect === undefined) return;
  if (effect === 'deleted') {
    owners.delete(object);
    states.delete(object);
    return;
  }
  owners.set(object, owner ?? owners.get(object) ?? -1);
  if (state !== undefined) states.set(object, state);
};

const copyOf = ({ owners, states }: ObjectStates): MutableStates => ({
  owners: new Map(owners),
  states: new Map(states),
});

/**
 * Computes the objects and their states at any moment of a run. A moment is a number of events: moment 0 is before the first
 * event.
 */
export class RunHistory {
  readonly run: ReportRun;
  readonly #snapshots: ObjectStates[] = [];
  /** The events of each object, by the index of the object. */
  readonly #eventsOf = new Map<number, number[]>();

  constructor(run: ReportRun) {
    this.run = run;
    const now: MutableStates = { owners: new Map(), states: new Map() };
    for (const [index, event] of run.events.entries()) {
      if (index % EVERY === 0) this.#snapshots.push(copyOf(now));
      apply(now, event);
      if (event.object === undefined) continue;
      const known = this.#eventsOf.get(event.object);
      if (known === undefined) this.#eventsOf.set(event.object, [index]);
      else known.push(index);
    }
  }

  /** Whether events have times. Without times, the place of an event on the axis is its index. */
  get hasTimes(): boolean {
    return this.run.durationMs > 0;
  }

  /** Length of the axis: milliseconds, or the number of events. */
  get length(): number {
    return this.hasTimes ? this.run.durationMs : Math.max(1, this.run.events.length);
  }

  /** Place of an event on the axis, from 0 to {@link length}. */
  placeOf(index: number): number {
    return this.hasTimes ? (this.run.events[index]?.atMs ?? this.length) : index + 1;
  }

  /** The moment after all events up to and including a place on the axis. */
  momentAt(place: number): number {
    let [low, high] = [0, this.run.events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.placeOf(middle) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Owners and states of the objects at a moment. */
  statesAt(moment: number): ObjectStates {
    const from = Math.min(this.#snapshots.length - 1, Math.floor(moment / EVERY));
    const snapshot = this.#snapshots[from];
    if (snapshot === undefined) return { owners: new Map(), states: new Map() };
    const now = copyOf(snapshot);
    for (let index = from * EVERY; index < moment; index += 1) {
      const event = this.run.events[index];
      if (event !== undefined) apply(now, event);
    }
    return now;
  }

  /** The existing objects at a moment as a tree: each object comes after its owner, except in a cycle of owners. */
  treeAt({ owners }: Pick<ObjectStates, 'owners'>): readonly ObjectTreeRow[] {
    const children = new Map<number, number[]>();
    for (const [object, owner] of owners) {
      const above = owners.has(owner) && owner !== object ? owner : -1;
      const known = children.get(above);
      if (known === undefined) children.set(above, [object]);
      else known.push(object);
    }
    const rows: ObjectTreeRow[] = [];
    const added = new Set<number>();
    const add = (root: number): void => {
      const open = [{ object: root, depth: 0 }];
      for (let row = open.pop(); row !== undefined; row = open.pop()) {
        if (added.has(row.object)) continue;
        added.add(row.object);
        rows.push(row);
        const { depth } = row;
        const below = (children.get(row.object) ?? []).toSorted((a, b) => b - a);
        open.push(...below.map((object) => ({ object, depth: depth + 1 })));
      }
    };
    for (const root of (children.get(-1) ?? []).toSorted((a, b) => a - b)) add(root);
    // Objects in a cycle of owners have no root.
    for (const object of owners.keys()) add(object);
    return rows;
  }

  /** All objects of the run as a tree, below their first owners. */
  lanes(): readonly ObjectTreeRow[] {
    const owners = new Map<number, number>();
    for (const { object, effect, owner = -1 } of this.run.events) {
      if (object === undefined || effect === undefined) continue;
      if ((owners.get(object) ?? -1) < 0) owners.set(object, owner);
    }
    return this.treeAt({ owners });
  }

  /** The indexes of the events of an object before a moment. */
  eventsOf(object: number, moment = this.run.events.length): readonly number[] {
    const all = this.#eventsOf.get(object) ?? [];
    const end = all.findIndex((index) => index >= moment);
    return end === -1 ? all : all.slice(0, end);
  }

  /** The fields of an object at a moment, in the order of their paths; empty if the object does not exist. */
  fieldsAt(object: number, moment: number): ReadonlyMap<string, string> {
    const fields = new Map<string, string>();
    const set = ([path, , after]: ReportField): void => {
      if (after === null) fields.delete(path);
      else fields.set(path, after);
    };
    for (const index of this.eventsOf(object, moment)) {
      const event = this.run.events[index];
      if (event?.effect === 'created' || event?.effect === 'deleted') fields.clear();
      if (event?.effect !== 'deleted') for (const field of event?.fields ?? []) set(field);
    }
    return new Map([...fields].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))));
  }

  /** The periods on the axis in which the object exists with an unchanged state. */
  lanePeriods(object: number): readonly LanePeriod[] {
    const periods: { from: number; to: number; text: string; mood: ReportMood }[] = [];
    let isOpen = false;
    for (const index of this.eventsOf(object)) {
      const { effect, state } = this.run.events[index] ?? {};
      if (effect === undefined) continue;
      const place = this.placeOf(index);
      const last = periods.at(-1);
      if (isOpen && last !== undefined) last.to = place;
      const [text, mood] = state ?? (isOpen && last !== undefined ? [last.text, last.mood] : ['', 'over' as const]);
      const isSame = isOpen && last !== undefined && last.text === text && last.mood === mood;
      isOpen = effect !== 'deleted';
      if (isOpen && !isSame) periods.push({ from: place, to: this.length, text, mood });
      else if (isOpen && last !== undefined) last.to = this.length;
    }
    return periods;
  }
}
