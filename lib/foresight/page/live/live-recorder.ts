import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { ownershipsOf } from '#lib/desired/marks/ownership.ts';
import { changesOfChild } from '#lib/foresight/simulate/observe/child-changes.ts';
import type { ChildReason } from '#lib/foresight/simulate/observe/listener.ts';
import { type PodState, podStateOf } from '#lib/foresight/simulate/observe/pod-state.ts';
import { countText } from '#lib/foresight/simulate/report/count-text.ts';
import type { TimelineEntry } from '#lib/foresight/simulate/report/report.ts';
import { withCauses } from '../causes.ts';
import type { ReportEvent } from '../report-run.ts';
import { type RecordedEntry, RunRecorder } from '../run-recorder.ts';
import { lastWriterOf } from './actor.ts';
import type { LiveHistoryRun } from './stream-message.ts';
import { UnownedObjects } from './unowned-objects.ts';

/** A change of an object in a cluster, or an object that existed at the start. */
export interface LiveChange {
  /** `undefined` for a deleted object. */
  readonly now: ServerObject | undefined;
  /** `undefined` for a new object. */
  readonly before: ServerObject | undefined;
  /** Whether the object existed when the record began. @default false */
  readonly isInitial?: boolean;
}

/** Options for {@link LiveRecorder}. */
export interface LiveRecorderOptions {
  /** The time of the start, in epoch milliseconds. */
  readonly startedAt: number;
  /**
   * Whether an object is shown without a shown owner. Another object is recorded as soon as it has a shown owner.
   *
   * @default all objects
   */
  readonly isRoot?: (object: ServerObject) => boolean;
  /** Maximum number of events, >= 2. With many objects, it is twice their number. @default 5000 */
  readonly maxEvents?: number;
  /**
   * Size of the events, in characters of JSON, above which the older half is merged. With large objects, the limit is higher.
   *
   * @default 16,777,216
   */
  readonly maxSize?: number;
  /** Maximum number of objects at a time. @default 2000 */
  readonly maxObjects?: number;
}

const MAX_SIZE = 16_777_216;

const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0);

const sizeOf = (event: ReportEvent | undefined): number => (event === undefined ? 0 : JSON.stringify(event).length);

/**
 * Records the changes of a cluster for a page.
 *
 * Guarantees: the number and the size of events, and the number of objects, are bounded. If the events exceed a bound, the
 * older half is merged, so that each object begins with its state at that time; `run` says so in its notes. Values of Secrets
 * are not recorded.
 */
export class LiveRecorder {
  readonly #recorder = new RunRecorder();
  readonly #isRoot: (object: ServerObject) => boolean;
  readonly #maxEvents: number;
  readonly #maxSize: number;
  readonly #maxObjects: number;
  readonly #shown = new Set<string>();
  readonly #hidden = new Set<string>();
  readonly #unowned = new UnownedObjects();
  readonly #pods = new Map<string, PodState>();
  #startedAt: number;
  #lastMs = 0;
  #merged = 0;
  /** Number of times that events were merged. */
  #merges = 0;
  #size = 0;
  /** The size at which events are merged next. */
  #sizeLimit: number;

  constructor({
    startedAt,
    isRoot = () => true,
    maxEvents = 5000,
    maxSize = MAX_SIZE,
    maxObjects = 2000,
  }: LiveRecorderOptions) {
    this.#startedAt = startedAt;
    this.#isRoot = isRoot;
    this.#maxEvents = maxEvents;
    this.#maxSize = maxSize;
    this.#sizeLimit = maxSize;
    this.#maxObjects = maxObjects;
  }

  /** The time 0 of the events, in epoch milliseconds. It changes when older events are merged, and then all indexes change. */
  get startedAt(): number {
    return this.#startedAt;
  }

  /** Records a change. @param nowMs - the time of the change, in epoch milliseconds */
  changed({ now, before, isInitial = false }: LiveChange, nowMs: number): void {
    const object = now ?? before;
    if (object === undefined) return;
    if (before !== undefined) this.#unowned.delete(before);
    if (now === undefined) this.#hidden.delete(object.metadata.uid);
    const isNew = !this.#shown.has(object.metadata.uid);
    if (!this.#isShown(object, { now, before, isInitial })) return;
    const writer = now === undefined || isInitial ? { who: '', isUser: false } : lastWriterOf(now, before);
    const atMs = this.#elapsed(nowMs);
    const entries = this.#entriesOf({ now, before, isInitial }, { atMs, who: writer.who });
    const sort = isInitial ? 'known' : writer.isUser ? 'change' : undefined;
    this.#recorder.changed({ atMs, who: writer.who, now, before, entries, ...(sort && { sort }) });
    this.#bound();
    if (isNew) for (const child of this.#unowned.take(object)) this.changed(child, nowMs);
  }

  /** Records a message about an object, such as a Kubernetes Event. A message about an object that is not shown is left out. */
  told(message: Omit<RecordedEntry, 'atMs'>, nowMs: number): void {
    if (!this.#recorder.hasObject(message)) return;
    this.#recorder.told({ ...message, atMs: this.#elapsed(nowMs) });
    this.#bound();
  }

  /** Adds the reason of the last write of an operator to an object. */
  because(reason: ChildReason): void {
    this.#recorder.because(reason);
  }

  /** The recorded history up to a time. @param nowMs - the time, in epoch milliseconds */
  run(nowMs: number): LiveHistoryRun {
    const { events, objects } = this.#recorder;
    return {
      verb: 'dev',
      title: 'The live cluster',
      startedAt: this.#startedAt,
      merges: this.#merges,
      facts: [countText(this.#shown.size, 'object'), countText(events.length, 'event')],
      notes: [
        ...(this.#merged === 0
          ? []
          : [
              `${countText(this.#merged, 'earlier event', ' merged')}: each object begins with its state at the left end.`,
            ]),
        ...(this.#hidden.size === 0
          ? []
          : [
              `${countText(this.#hidden.size, 'object', ' not shown')}, because a page shows at most ${this.#maxObjects}; choose namespaces by -n.`,
            ]),
      ],
      durationMs: Math.max(1, this.#elapsed(nowMs)),
      objects: [...objects],
      events: withCauses(events),
    };
  }

  /**
   * The milliseconds since the time 0 of the events. Until older events are merged, the result never decreases, even if the
   * clock does.
   */
  #elapsed(nowMs: number): number {
    this.#lastMs = Math.max(this.#lastMs, nowMs - this.#startedAt);
    return this.#lastMs;
  }

  #isShown(object: ServerObject, { now, before, isInitial }: Required<LiveChange>): boolean {
    const { uid } = object.metadata;
    if (!this.#shown.has(uid)) {
      const isOwned = ownershipsOf(object).some(({ owner }) => this.#shown.has(owner.uid));
      if (!isOwned && !this.#isRoot(object)) {
        if (now !== undefined) this.#unowned.add(now, isInitial || before !== undefined);
        return false;
      }
      const isFull = this.#shown.size >= this.#maxObjects;
      if (now === undefined) return false;
      if (isFull) {
        this.#hidden.add(uid);
        return false;
      }
      // An object that was hidden before begins to be shown with its next change.
      this.#hidden.delete(uid);
      this.#shown.add(uid);
    }
    if (now === undefined) this.#shown.delete(uid);
    return true;
  }

  #entriesOf(
    { now, before, isInitial = false }: LiveChange,
    { atMs, who }: { readonly atMs: number; readonly who: string },
  ): readonly TimelineEntry[] {
    const object = now ?? before;
    if (object === undefined) return [];
    const entry = { atMs, who, object: '' };
    const existing = isInitial ? [{ ...entry, sort: 'child' as const, what: 'exists' }] : [];
    if (object.kind !== 'Pod' || object.apiVersion !== 'v1')
      return isInitial ? existing : changesOfChild(now, before).map((what) => ({ ...entry, sort: 'child', what }));
    return [...existing, ...this.#podEntries(object, now, entry)];
  }

  #podEntries(
    { metadata: { uid } }: ServerObject,
    now: ServerObject | undefined,
    entry: Omit<TimelineEntry, 'sort' | 'what'>,
  ): readonly TimelineEntry[] {
    if (now === undefined) {
      this.#pods.delete(uid);
      return [];
    }
    const old = this.#pods.get(uid);
    const state = podStateOf(now as Parameters<typeof podStateOf>[0], '', old);
    this.#pods.set(uid, state);
    if (state.verb === old?.verb) return [];
    return [{ ...entry, sort: 'pods', what: state.verb, ...(state.verb === 'failed' && { isBad: true }) }];
  }

  #bound(): void {
    const { events } = this.#recorder;
    this.#size += sizeOf(events.at(-1));
    const max = Math.max(this.#maxEvents, 2 * this.#shown.size);
    if (events.length < 2 || (events.length <= max && this.#size <= this.#sizeLimit)) return;
    const before = events.length;
    const cut = before >> 1;
    const fromMs = this.#recorder.fold(cut);
    this.#startedAt += fromMs;
    this.#lastMs -= fromMs;
    this.#merges += 1;
    this.#merged += before - events.length;
    const sizes = events.map(sizeOf);
    this.#size = sum(sizes);
    const states = sum(sizes.slice(0, events.length - (before - cut)));
    this.#sizeLimit = Math.max(this.#maxSize, this.#size + Math.max(this.#maxSize / 2, states));
  }
}
