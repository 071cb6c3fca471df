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
import type { EventRank } from './waiting-letters.ts';

/** Options of {@link startRecorder}. */
export interface RecorderOptions extends SenderOptions {
  readonly api: Pick<KubeApi, 'create' | 'patch'>;
  /** The reporting instance: the pod's name. */
  readonly instance: string;
  /** Which events are written. @default 'all' */
  readonly events?: EventsSetting;
}

/** A recorder at work. */
export interface StartedRecorder {
  readonly sink: EventSink;
  /** Sends the waiting events, within a time limit, and accepts no more. */
  stop(): Promise<void>;
}

/** An event that was sent, and how often it happened since. */
interface Told {
  readonly event: LoopEvent;
  readonly name: string;
  readonly at: string;
  count: number;
  lastAt: string;
  /** On the clock of durations, in milliseconds. */
  lastSeen: number;
  /** The count that the API server was sent. */
  sentCount: number;
  sentAt: number;
  /** A write of it is running; it sends the count at its start. */
  isWaiting: boolean;
  isStored: boolean;
}

/** The silence after which a repetition is another event, in milliseconds; client-go's number. */
const SERIES_END_MS = 360_000;
/** The shortest time between two updates of a series, in milliseconds. */
const REFRESH_MS = 600_000;
const SWEEP_MS = 60_000;
/** How many events are remembered to recognise repetitions. */
const REMEMBERED = 4096;

const FIELD_MANAGER = 'cdk8s-reconcile';

class EventRecorder implements StartedRecorder {
  readonly sink: EventSink = (event) => this.#take(event);
  readonly #options: RecorderOptions;
  readonly #budget = new EventBudget();
  readonly #crowd = new EventCrowd();
  readonly #told = new RecentMap<Told>(REMEMBERED);
  /** When an object had an event of a reason for the last time. */
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
    for (const told of this.#told.values()) if (told.count > told.sentCount) this.#send(told, 'repeat');
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

  /** Counts an event on the same one of the last minutes. */
  #isAgain(event: LoopEvent, now: number): boolean {
    const told = this.#told.get(eventIdentity(event));
    if (!told || now - told.lastSeen >= SERIES_END_MS) return false;
    this.#repeat(told, now);
    return true;
  }

  #tell(event: LoopEvent, now: number): void {
    const micros = this.#nextMicros();
    const [name, at] = [eventName(event.regarding, micros), instantOf(micros)];
    const counts = { count: 1, lastAt: at, lastSeen: now, sentCount: 0, sentAt: now };
    const told: Told = { event, name, at, ...counts, isWaiting: false, isStored: false };
    this.#told.set(eventIdentity(event), told);
    this.#send(told, this.#rankOf(event, now));
  }

  /** An event of the same reason in other words is no news. */
  #rankOf({ regarding, type, reason }: LoopEvent, now: number): EventRank {
    const id = JSON.stringify([regarding.uid, type, reason]);
    const seenAt = this.#reasons.get(id) ?? Number.NEGATIVE_INFINITY;
    this.#reasons.set(id, now);
    if (now - seenAt < SERIES_END_MS) return 'again';
    return type === 'Warning' ? 'incident' : 'news';
  }

  #repeat(told: Told, now: number): void {
    told.count += 1;
    told.lastSeen = now;
    told.lastAt = instantOf(this.#nextMicros());
    this.#sendRepeats(told);
  }

  /** The second time is sent at once, so that it reads as a series; later ones now and then. */
  #sendRepeats(told: Told): void {
    if (told.isWaiting || told.count === told.sentCount) return;
    if (told.sentCount <= 1) this.#send(told, 'repeat');
    else this.#sweepSoon();
  }

  #sweepSoon(): void {
    this.#cancelSweep ??= this.#options.timers.setTimer(SWEEP_MS, () => this.#sweep());
  }

  #sweep(): void {
    this.#cancelSweep = undefined;
    const now = this.#options.timers.elapsed();
    const behind = this.#told.values().filter(({ count, sentCount, isWaiting }) => !isWaiting && count > sentCount);
    const isDue = ({ lastSeen, sentAt }: Told): boolean =>
      now - lastSeen >= SERIES_END_MS || now - sentAt >= REFRESH_MS;
    const due = behind.filter(isDue);
    due.forEach((told) => this.#send(told, 'repeat'));
    if (behind.length > due.length) this.#sweepSoon();
  }

  #send(told: Told, rank: EventRank): void {
    if (told.isWaiting) return;
    told.isWaiting = true;
    this.#sender.send({
      subject: told.name,
      namespace: eventNamespaceOf(told.event.regarding),
      rank,
      attempt: async () => this.#write(told),
      onEnd: (wasSent) => this.#ended(told, wasSent),
    });
  }

  /** An event that was lost counts as new when it happens again. */
  #ended(told: Told, wasSent: boolean): void {
    told.isWaiting = false;
    if (wasSent) this.#sendRepeats(told);
    else if (!told.isStored) this.#forget(told);
    else told.sentCount = told.count;
  }

  #forget({ event }: Told): void {
    const { regarding, type, reason } = event;
    this.#told.delete(eventIdentity(event));
    this.#reasons.delete(JSON.stringify([regarding.uid, type, reason]));
  }

  /** Events expire after an hour; a series without its event begins another one. */
  async #write(told: Told): Promise<EventOutcome> {
    const { count, lastAt } = told;
    const series = count > 1 ? { count, lastObservedTime: lastAt } : undefined;
    const isUpdated = told.isStored && series !== undefined && (await this.#update(told, series));
    const sentCount = isUpdated ? count : await this.#create(told, series);
    told.sentCount = sentCount;
    told.sentAt = this.#options.timers.elapsed();
    const outcome = told.isStored ? 'series' : 'created';
    told.isStored = true;
    return outcome;
  }

  /** @returns the count that is stored now */
  async #create({ event, name, at, count }: Told, series: EventSeries | undefined): Promise<number> {
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
  async #update({ event, name }: Told, series: EventSeries): Promise<boolean> {
    const target = { namespace: eventNamespaceOf(event.regarding), name };
    try {
      await this.#options.api.patch(eventResource, target, { series }, { type: 'merge', fieldManager: FIELD_MANAGER });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.httpStatus === 404) return false;
      throw error;
    }
  }

  /** Wall-clock time, another one at every call. */
  #nextMicros(): number {
    this.#lastMicros = Math.max(this.#lastMicros + 1, Math.round(this.#options.timers.now() * 1000));
    return this.#lastMicros;
  }
}

/**
 * Writes events of events.k8s.io/v1, which `kubectl describe` shows.
 *
 * Flow: an event → a series, if the same event occurred lately; a message without names, if several of its sort did → a token
 * of its object → the queue, by rank, with namespaces in turn → one request at a time.
 *
 * Guarantees: the caller of the sink neither waits nor fails. The first warning of a reason about an object waits for no other
 * write of this process. Other events are sent ten times a second while there are such writes, and fifty times a second
 * afterwards. A repeated event (same object and words, less than six minutes later) is counted on the first one; the count is
 * written at once the second time, then every ten minutes and at the end. Three events of a sort name the written children;
 * further ones, until there are none for ten minutes, are one series without names. An object gets 25 events at once and then
 * one every five minutes; routine events, such as a written child, can take ten of them, apart from the series. A request
 * without a response is repeated for about two minutes.
 *
 * Caveats: events are lost when there are too many (counts first, the first warnings last), when the right to write them is
 * missing, and with the process.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.36.4/tools/events/event_broadcaster.go
 */
export const startRecorder = (options: RecorderOptions): StartedRecorder => new EventRecorder(options);
