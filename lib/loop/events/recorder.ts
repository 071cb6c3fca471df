import { instantOf } from '#lib/desired/clock.ts';
import type { EventsSetting } from '#lib/desired/settings/events-setting.ts';
import { ApiError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import type { EventOutcome } from '#lib/loop/context/metrics.ts';
import type { EventSink, LoopEvent } from './event.ts';
import { EventBudget } from './event-budget.ts';
import { EventCrowd } from './event-crowd.ts';
import {
  type EventSeries,
  eventIdentity,
  eventName,
  eventNamespaceOf,
  eventObject,
  eventResource,
} from './event-object.ts';
import { RecentMap } from './recent-map.ts';
import { Sender, type SenderOptions } from './sender.ts';
import type { EventRank } from './waiting-events.ts';

/** Options of {@link startRecorder}. */
export interface RecorderOptions extends SenderOptions {
  readonly api: Pick<KubeApi, 'create' | 'patch'>;
  /** The name of the pod of the operator, which events have as reporting instance. */
  readonly instance: string;
  /** The events that are written. @default 'all' */
  readonly events?: EventsSetting;
}

/** A running recorder. */
export interface StartedRecorder {
  readonly sink: EventSink;
  /** Sends the waiting events, within a time limit. Later events are ignored. */
  stop(): Promise<void>;
}

/** An event that was given to the sender, and the number of its occurrences. */
interface EventRecord {
  readonly event: LoopEvent;
  readonly name: string;
  readonly at: string;
  count: number;
  lastAt: string;
  /** The time of the last occurrence by `Timers.elapsed`, in milliseconds. */
  lastSeen: number;
  /** The count in the last write that succeeded. */
  sentCount: number;
  sentAt: number;
  /** Whether a write of the event is queued or running. The write sends the count that is current when its request starts. */
  isWaiting: boolean;
  isStored: boolean;
}

/** The time without an occurrence after which the next occurrence is a new event, in milliseconds, as in client-go. */
const SERIES_END_MS = 360_000;
/** The minimum time between two updates of a series, in milliseconds. */
const REFRESH_MS = 600_000;
const SWEEP_MS = 60_000;
/** The number of events that are remembered to recognize repetitions. */
const REMEMBERED = 4096;

const FIELD_MANAGER = 'cdk8s-reconcile';

class EventRecorder implements StartedRecorder {
  readonly sink: EventSink = (event) => this.#take(event);
  readonly #options: RecorderOptions;
  readonly #budget = new EventBudget();
  readonly #crowd = new EventCrowd();
  readonly #records = new RecentMap<EventRecord>(REMEMBERED);
  /** The time of the last event of an object with a given type and reason, by `Timers.elapsed`. */
  readonly #reasons = new RecentMap<number>(REMEMBERED);
  readonly #sender: Sender;
  #lastMicros = 0;
  #cancelSweep: (() => void) | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#sender = new Sender(options);
  }

  async stop(): Promise<void> {
    this.#cancelSweep?.();
    for (const record of this.#records.values()) if (record.count > record.sentCount) this.#send(record, 'repeat');
    await this.#sender.stop();
  }

  #take(given: LoopEvent): void {
    const { timers, metrics, events = 'all' } = this.#options;
    if (events === 'off' || (events === 'warnings' && given.type !== 'Warning')) return;
    const now = timers.elapsed();
    if (this.#isAgain(given, now)) return;
    const event = this.#crowd.wordsFor(given, now);
    if (event !== given && this.#isAgain(event, now)) return;
    if (this.#budget.take(event.regarding.uid, now, event.isRoutine)) this.#tell(event, now);
    else metrics.event('limited');
  }

  /**
   * Counts an event as a repetition if an equal event occurred in the last six minutes.
   *
   * @returns whether the event was counted
   */
  #isAgain(event: LoopEvent, now: number): boolean {
    const record = this.#records.get(eventIdentity(event));
    if (!record || now - record.lastSeen >= SERIES_END_MS) return false;
    this.#repeat(record, now);
    return true;
  }

  #tell(event: LoopEvent, now: number): void {
    const micros = this.#nextMicros();
    const [name, at] = [eventName(event.regarding, micros), instantOf(micros)];
    const counts = { count: 1, lastAt: at, lastSeen: now, sentCount: 0, sentAt: now };
    const record: EventRecord = { event, name, at, ...counts, isWaiting: false, isStored: false };
    this.#records.set(eventIdentity(event), record);
    this.#send(record, this.#rankOf(event, now));
  }

  /** The rank of an event. The rank is lower if the reason occurred in the last six minutes with another message. */
  #rankOf({ regarding, type, reason }: LoopEvent, now: number): EventRank {
    const id = JSON.stringify([regarding.uid, type, reason]);
    const seenAt = this.#reasons.get(id) ?? Number.NEGATIVE_INFINITY;
    this.#reasons.set(id, now);
    if (now - seenAt < SERIES_END_MS) return 'again';
    return type === 'Warning' ? 'incident' : 'news';
  }

  #repeat(record: EventRecord, now: number): void {
    record.count += 1;
    record.lastSeen = now;
    record.lastAt = instantOf(this.#nextMicros());
    this.#sendRepeats(record);
  }

  /** Sends the count of an event. The second occurrence is sent at once, to make the event a series; later counts are delayed. */
  #sendRepeats(record: EventRecord): void {
    if (record.isWaiting || record.count === record.sentCount) return;
    if (record.sentCount <= 1) this.#send(record, 'repeat');
    else this.#sweepSoon();
  }

  #sweepSoon(): void {
    this.#cancelSweep ??= this.#options.timers.setTimer(SWEEP_MS, () => this.#sweep());
  }

  #sweep(): void {
    this.#cancelSweep = undefined;
    const now = this.#options.timers.elapsed();
    const behind = this.#records.values().filter(({ count, sentCount, isWaiting }) => !isWaiting && count > sentCount);
    const isDue = ({ lastSeen, sentAt }: EventRecord): boolean =>
      now - lastSeen >= SERIES_END_MS || now - sentAt >= REFRESH_MS;
    const due = behind.filter(isDue);
    due.forEach((record) => this.#send(record, 'repeat'));
    if (behind.length > due.length) this.#sweepSoon();
  }

  #send(record: EventRecord, rank: EventRank): void {
    if (record.isWaiting) return;
    record.isWaiting = true;
    this.#sender.send({
      subject: record.name,
      namespace: eventNamespaceOf(record.event.regarding),
      rank,
      attempt: async () => this.#write(record),
      onEnd: (wasSent) => this.#ended(record, wasSent),
    });
  }

  /**
   * Handles the end of a write. Removes the record of an event that was never stored, so that the next occurrence is a new event.
   */
  #ended(record: EventRecord, wasSent: boolean): void {
    record.isWaiting = false;
    if (wasSent) this.#sendRepeats(record);
    else if (!record.isStored) this.#forget(record);
    else record.sentCount = record.count;
  }

  #forget({ event }: EventRecord): void {
    const { regarding, type, reason } = event;
    this.#records.delete(eventIdentity(event));
    this.#reasons.delete(JSON.stringify([regarding.uid, type, reason]));
  }

  /**
   * Writes an event or its new count. If the API server has deleted the expired event, a new object with the count is created.
   */
  async #write(record: EventRecord): Promise<EventOutcome> {
    const { count, lastAt } = record;
    const series = count > 1 ? { count, lastObservedTime: lastAt } : undefined;
    const isUpdated = record.isStored && series !== undefined && (await this.#update(record, series));
    const sentCount = isUpdated ? count : await this.#create(record, series);
    record.sentCount = sentCount;
    record.sentAt = this.#options.timers.elapsed();
    const outcome = record.isStored ? 'series' : 'created';
    record.isStored = true;
    return outcome;
  }

  /** @returns the count that is stored now */
  async #create({ event, name, at, count }: EventRecord, series: EventSeries | undefined): Promise<number> {
    const { api, instance } = this.#options;
    const object = eventObject(event, { name, at, instance, ...(series && { series }) });
    const options = { namespace: eventNamespaceOf(event.regarding), fieldManager: FIELD_MANAGER };
    try {
      await api.create(eventResource, object, options);
      return count;
    } catch (error) {
      // An earlier attempt succeeded and its response was lost.
      if (error instanceof ApiError && error.code === 'AlreadyExists') return 1;
      throw error;
    }
  }

  /** @returns false when the event is gone */
  async #update({ event, name }: EventRecord, series: EventSeries): Promise<boolean> {
    const target = { namespace: eventNamespaceOf(event.regarding), name };
    try {
      await this.#options.api.patch(eventResource, target, { series }, { type: 'merge', fieldManager: FIELD_MANAGER });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.httpStatus === 404) return false;
      throw error;
    }
  }

  /** The wall-clock time in microseconds, different at every call. */
  #nextMicros(): number {
    this.#lastMicros = Math.max(this.#lastMicros + 1, Math.round(this.#options.timers.now() * 1000));
    return this.#lastMicros;
  }
}

/**
 * Writes events of events.k8s.io/v1, which `kubectl describe` shows.
 *
 * Flow: a repetition of a recent event is counted on that event. Any other event gets a message without names if several
 * similar events came before. The event then takes a token of its object, waits in a queue that orders events by rank, and is
 * sent. Within a rank, namespaces take turns. One request runs at a time.
 *
 * Guarantees: the caller of the sink neither waits nor fails. The first warning of a reason about an object waits only for other
 * requests of this recorder. While the loop writes other objects, at most ten other events are sent a second. Otherwise, events
 * are sent at once, or at most fifty a second when many wait. A repeated event (same object, type, reason, action and message,
 * less than six minutes later) is counted on the first one. The count is written the second time, then every ten minutes and at
 * the end of the series. Three events of a sort name the written children; further events form one series without names, until no
 * such event comes for ten minutes. An object gets 25 events at once and then one every five minutes; routine events, such as
 * those for written children, can use ten of the 25. A request is repeated for about two minutes while the API server does not
 * respond, is busy (429) or fails (500–599).
 *
 * Caveats: events are lost when too many wait (counts first, first warnings last), when the API server refuses them or fails for
 * longer, and when the process ends before they are sent.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.36.4/tools/events/event_broadcaster.go
 */
export const startRecorder = (options: RecorderOptions): StartedRecorder => new EventRecorder(options);
