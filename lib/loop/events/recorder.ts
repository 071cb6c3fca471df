import { instantOf } from '#lib/desired/clock.ts';
import { ApiError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import type { EventSink, LoopEvent } from './event.ts';
import { EventBudget } from './event-budget.ts';
import { EventCrowd } from './event-crowd.ts';
import { type EventSeries, eventIdentity, eventName, eventObject, eventResource, namespaceOf } from './event-object.ts';
import { RecentMap } from './recent-map.ts';
import { type Attempt, Sender, type SenderOptions } from './sender.ts';

/** What a recorder takes from outside. */
export interface RecorderOptions extends SenderOptions {
  readonly api: Pick<KubeApi, 'create' | 'patch'>;
  /** Who reports: the pod's name. */
  readonly instance: string;
}

/** A recorder at work. */
export interface Recorder {
  readonly sink: EventSink;
  /** Sends what waits, for as long as it may take, and takes nothing more. */
  stop(): Promise<void>;
}

/** An event that was told, and how often it happened since. */
interface Told {
  readonly event: LoopEvent;
  readonly name: string;
  readonly at: string;
  count: number;
  lastAt: string;
  /** On the clock of durations, in milliseconds. */
  lastSeen: number;
  /** What the API server knows, or is about to. */
  sentCount: number;
  sentAt: number;
}

/** After so much silence a repetition is another event, in milliseconds; client-go's number. */
const SERIES_END_MS = 360_000;
/** A series is brought up to date at most so often, in milliseconds. */
const REFRESH_MS = 600_000;
const SWEEP_MS = 60_000;
/** So many events are remembered to recognise repetitions. */
const REMEMBERED = 4096;

const FIELD_MANAGER = 'cdk8s-reconcile';

class EventRecorder implements Recorder {
  readonly sink: EventSink = (event) => this.#take(event);
  readonly #options: RecorderOptions;
  readonly #budget = new EventBudget();
  readonly #crowd = new EventCrowd();
  readonly #told = new RecentMap<Told>(REMEMBERED);
  readonly #sender: Sender;
  #lastMicros = 0;
  #cancelSweep: (() => void) | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#sender = new Sender(options);
  }

  async stop(): Promise<void> {
    this.#cancelSweep?.();
    for (const told of this.#told.values()) if (told.count > told.sentCount) this.#sendSeries(told);
    await this.#sender.stop();
  }

  #take(given: LoopEvent): void {
    const { timers, metrics } = this.#options;
    const now = timers.elapsed();
    if (this.#isAgain(given, now)) return;
    const event = this.#crowd.wordsFor(given, now);
    if (event !== given && this.#isAgain(event, now)) return;
    if (this.#budget.take(event.regarding.uid, now, event.isRoutine)) this.#tell(event, now);
    else metrics.event('limited');
  }

  /** Counts an event on the one that was told of it lately. */
  #isAgain(event: LoopEvent, now: number): boolean {
    const told = this.#told.get(eventIdentity(event));
    if (!told || now - told.lastSeen >= SERIES_END_MS) return false;
    this.#repeat(told, now);
    return true;
  }

  #tell(event: LoopEvent, now: number): void {
    const micros = this.#nextMicros();
    const [name, at] = [eventName(event.regarding, micros), instantOf(micros)];
    const told: Told = { event, name, at, count: 1, lastAt: at, lastSeen: now, sentCount: 1, sentAt: now };
    this.#told.set(eventIdentity(event), told);
    this.#sender.send({ subject: name, outcome: 'created', attempt: this.#creation(told) });
  }

  /** The second time is told at once, so that it reads as a series; later ones now and then. */
  #repeat(told: Told, now: number): void {
    told.count += 1;
    told.lastSeen = now;
    told.lastAt = instantOf(this.#nextMicros());
    if (told.count === 2) this.#sendSeries(told);
    else this.#sweepSoon();
  }

  #sweepSoon(): void {
    this.#cancelSweep ??= this.#options.timers.setTimer(SWEEP_MS, () => this.#sweep());
  }

  #sweep(): void {
    this.#cancelSweep = undefined;
    const now = this.#options.timers.elapsed();
    const behind = this.#told.values().filter(({ count, sentCount }) => count > sentCount);
    const isDue = ({ lastSeen, sentAt }: Told): boolean =>
      now - lastSeen >= SERIES_END_MS || now - sentAt >= REFRESH_MS;
    const due = behind.filter(isDue);
    due.forEach((told) => this.#sendSeries(told));
    if (behind.length > due.length) this.#sweepSoon();
  }

  #sendSeries(told: Told): void {
    told.sentCount = told.count;
    told.sentAt = this.#options.timers.elapsed();
    this.#sender.send({ subject: told.name, outcome: 'series', attempt: this.#update(told) });
  }

  #creation(told: Told, series?: EventSeries): Attempt {
    const { api, instance } = this.#options;
    const { event, name, at } = told;
    const object = eventObject(event, { name, at, instance, ...(series && { series }) });
    const options = { namespace: namespaceOf(event.regarding), fieldManager: FIELD_MANAGER };
    return async () => void (await api.create(eventResource, object, options));
  }

  /** Events end after an hour; a series whose event is gone begins another one. */
  #update(told: Told): Attempt {
    const { api } = this.#options;
    const series = { count: told.count, lastObservedTime: told.lastAt };
    const target = { namespace: namespaceOf(told.event.regarding), name: told.name };
    return async () => {
      try {
        await api.patch(eventResource, target, { series }, { type: 'merge', fieldManager: FIELD_MANAGER });
      } catch (error) {
        if (!(error instanceof ApiError && error.httpStatus === 404)) throw error;
        await this.#creation(told, series)();
      }
    };
  }

  /** Wall-clock time, another one at every call. */
  #nextMicros(): number {
    this.#lastMicros = Math.max(this.#lastMicros + 1, Math.round(this.#options.timers.now() * 1000));
    return this.#lastMicros;
  }
}

/**
 * Tells people what happened: writes events of events.k8s.io/v1, which `kubectl describe` shows.
 *
 * Flow: an event → the same one lately? then a series; several of its sort? then in words without names → a token of its object →
 * the queue → one request after the other, while no other writes are under way.
 *
 * Guarantees: whoever tells an event neither waits nor fails. The same event again (same object and words, less than six minutes
 * later) is counted on the first one; the API server hears of it at once the second time, then every ten minutes and at the end.
 * Three events of a sort name the children that were written; more of them, until there were none for ten minutes, are one series
 * without names. One object gets 25 events at once and then one every five minutes; routine, such as a child that was written,
 * may take ten of them, the series aside. A request that cannot be answered is tried 12 times.
 *
 * Caveats: events are lost when there are too many, when the right to write them is missing, and with the process.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.36.4/tools/events/event_broadcaster.go
 */
export const startRecorder = (options: RecorderOptions): Recorder => new EventRecorder(options);
