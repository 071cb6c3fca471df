import { ApiError, ConnectionError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { LEASES, leaseRecordOf, releasedSpec, renewedSpec, takenSpec } from './lease-object.ts';
import { NewestLease } from './newest.ts';
import { Retries } from './retries.ts';
import { assertLeaseTimes, JITTER_FACTOR } from './times.ts';
import type { Election, ElectionOptions, FreeLease, ObservedLease, Sent } from './types.ts';

const FIELD_MANAGER = 'cdk8s-reconcile/election';

/** The resource version for an apply that may only create. If the lease exists, the apply fails with 409. */
const ONLY_CREATE = '1';

interface Held {
  readonly resourceVersion: string;
  /** The time at which the last successful request was sent that took or renewed the lease. */
  readonly sentAtMs: number;
}

const isStatus = (error: unknown, status: number): boolean => error instanceof ApiError && error.httpStatus === status;

class Candidate implements Election {
  readonly #options: ElectionOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #observed: ObservedLease | undefined;
  /** The time since which the lease does not exist; Infinity while it exists, and before the first read. */
  #absentSinceMs = Infinity;
  #held: Held | undefined;
  readonly #newest = new NewestLease();
  /** The end of the time in which another process may lead with a lease that was deleted, or lost by a restore of the storage. */
  #notBeforeMs = -Infinity;
  #isLost = false;
  readonly #retries: Retries;
  #wasAttempted = false;
  /** The last leader that was reported. */
  #followed = '';
  #cancelDeadline: () => void = () => undefined;
  #stands: boolean;
  /** Ends the pause between two attempts. */
  #wake: () => void = () => undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#retries = new Retries(options.times.retryMs);
    this.#stands = options.stands ?? true;
    this.#running = this.#run();
  }

  stand(stands: boolean): void {
    const begins = stands && !this.#stands;
    this.#stands = stands;
    if (begins && this.#held === undefined) this.#wake();
  }

  async release(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#cancelDeadline();
    const held = this.#held;
    if (held === undefined || this.#isLost) return;
    this.#held = undefined;
    try {
      await this.#patch(held.resourceVersion, releasedSpec(this.#options.timers.now()));
    } catch (error) {
      this.#report(error, 0);
    }
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted || this.#isLost;
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    while (!this.#stopped) {
      const waitMs = await this.#attempt();
      if (!this.#wasAttempted) this.#options.listener.attempted();
      this.#wasAttempted = true;
      await this.#pause(waitMs);
    }
  }

  /** @returns milliseconds until the next attempt */
  async #attempt(): Promise<number> {
    const { retryMs } = this.#options.times;
    if (this.#isOverdue()) {
      this.#lose('this process was paused for too long');
      return 0;
    }
    try {
      return this.#retries.well(await (this.#held === undefined ? this.#acquire() : this.#renew(this.#held)));
    } catch (error) {
      const waitMs = this.#held === undefined ? this.#retries.after(error) : retryMs;
      this.#report(error, waitMs);
      return waitMs;
    }
  }

  /** Whether the renew deadline has passed. After a sleep of the machine, its timer may fire after that of the next attempt. */
  #isOverdue(): boolean {
    const { times, timers } = this.#options;
    return this.#held !== undefined && timers.elapsed() - this.#held.sentAtMs > times.renewDeadlineMs;
  }

  /** Takes the lease when it is free, has this process as holder, or was not renewed for its duration. */
  async #acquire(): Promise<number> {
    const { identity, times, timers, listener } = this.#options;
    const observed = await this.#observe();
    const waitMs = this.#jittered(times.retryMs);
    const lostForMs = this.#notBeforeMs - timers.elapsed();
    if (lostForMs > 0) return Math.min(waitMs, lostForMs);
    if (observed === undefined) return this.#take({ observed, sinceMs: this.#absentSinceMs }, waitMs);
    const { record, atMs } = observed;
    if (record.holder === '') return this.#take({ observed, sinceMs: atMs }, waitMs);
    if (record.holder === identity) return this.#take({ observed, sinceMs: timers.elapsed() }, waitMs);
    const overAtMs = atMs + record.durationMs;
    const remainingMs = overAtMs - timers.elapsed();
    if (remainingMs <= 0) return this.#take({ observed, sinceMs: overAtMs }, waitMs);
    if (record.holder !== this.#followed) listener.follows(record.holder);
    this.#followed = record.holder;
    // The next attempt is not later than the end of the lease, so that no retry delay is added after a crash of the leader.
    return Math.min(waitMs, Math.max(remainingMs, 1));
  }

  /** @returns milliseconds until the next attempt: `waitMs`, or the renewal interval if this process leads now */
  async #take({ observed, sinceMs }: FreeLease, waitMs: number): Promise<number> {
    if (!this.#stands) return waitMs;
    const { identity, times, timers } = this.#options;
    const sentAtMs = timers.elapsed();
    const transitions = observed === undefined ? 0 : observed.record.transitions + 1;
    const spec = takenSpec({ identity, durationMs: times.durationMs, transitions, nowMs: timers.now() });
    try {
      const lease =
        observed === undefined ? await this.#create(spec) : await this.#patch(observed.resourceVersion, spec);
      this.#hold(lease, { sentAtMs, aloneSinceMs: Math.max(sinceMs, this.#notBeforeMs) });
      return times.retryMs;
    } catch (error) {
      // Another candidate took the lease first, so this process reads the lease again later.
      if (!isStatus(error, 409)) throw error;
      return waitMs;
    }
  }

  async #renew({ resourceVersion }: Held): Promise<number> {
    const { times, timers } = this.#options;
    const sentAtMs = timers.elapsed();
    try {
      this.#hold(await this.#patch(resourceVersion, renewedSpec(timers.now())), { sentAtMs });
      return times.retryMs;
    } catch (error) {
      if (!isStatus(error, 409) && !isStatus(error, 404)) throw error;
      return this.#lookAgain();
    }
  }

  /** Reads the lease again after a conflict: a response was lost, or the lease was annotated, deleted or taken over. */
  async #lookAgain(): Promise<number> {
    const { identity, times, timers } = this.#options;
    const observed = await this.#observe();
    if (observed === undefined) return this.#take({ observed, sinceMs: timers.elapsed() }, times.retryMs);
    const { holder } = observed.record;
    if (holder !== identity) {
      this.#lose(
        holder === '' ? 'the lease was taken from this process and has no holder' : `"${holder}" holds the lease now`,
      );
      return 0;
    }
    if (this.#held) this.#held = { ...this.#held, resourceVersion: observed.resourceVersion };
    return 0;
  }

  async #observe(): Promise<ObservedLease | undefined> {
    const { api, lease, timers } = this.#options;
    try {
      const live = await api.get(LEASES, lease);
      const record = leaseRecordOf(live);
      const { resourceVersion } = live.metadata;
      this.#see(resourceVersion);
      this.#absentSinceMs = Infinity;
      const isNews = this.#observed?.record.mark !== record.mark;
      const atMs = isNews ? timers.elapsed() : (this.#observed?.atMs ?? timers.elapsed());
      this.#observed = { record, resourceVersion, atMs };
      return this.#observed;
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      const { holder = '', durationMs = 0 } = this.#observed?.record ?? {};
      // The holder may lead until its next renewal, and may have renewed the lease after the last read.
      if (this.#held === undefined && holder !== '' && holder !== this.#options.identity) this.#waitFor(durationMs);
      this.#observed = undefined;
      this.#absentSinceMs = Math.min(this.#absentSinceMs, timers.elapsed());
      return undefined;
    }
  }

  /** Checks for a restore of the storage. Renewals may be lost, so a process that does not lead waits for the lease duration. */
  #see(version: string): void {
    const { timers, times, listener } = this.#options;
    const older = this.#newest.see(version, timers.elapsed());
    if (older === undefined) return;
    if (this.#held === undefined) this.#waitFor(times.durationMs);
    listener.restored(older.versions, older.seenAtMs);
  }

  #waitFor(ms: number): void {
    this.#notBeforeMs = Math.max(this.#notBeforeMs, this.#options.timers.elapsed() + ms);
  }

  async #create(spec: object): Promise<ApiObject> {
    const { api, lease } = this.#options;
    const { apiVersion, kind } = LEASES;
    const metadata = { ...lease, resourceVersion: ONLY_CREATE };
    const options = { fieldManager: FIELD_MANAGER, force: false };
    return api.apply(LEASES, lease, { apiVersion, kind, metadata, spec }, options);
  }

  async #patch(resourceVersion: string, spec: object): Promise<ApiObject> {
    const { api, lease } = this.#options;
    const patch = { metadata: { resourceVersion }, spec };
    return api.patch(LEASES, lease, patch, { fieldManager: FIELD_MANAGER, type: 'merge' });
  }

  #hold(lease: ApiObject, { sentAtMs, aloneSinceMs = sentAtMs }: Sent): void {
    if (this.#isLost) return;
    const { times, timers, listener } = this.#options;
    const isNew = this.#held === undefined;
    this.#see(lease.metadata.resourceVersion);
    this.#held = { resourceVersion: lease.metadata.resourceVersion, sentAtMs };
    // Other processes observe the renewal after it was sent, so the validity counts from the time of sending.
    const ageMs = timers.elapsed() - sentAtMs;
    const validity = { elapsedMs: sentAtMs + times.durationMs, wallMs: timers.now() - ageMs + times.durationMs };
    this.#cancelDeadline();
    const lose = (): void => this.#lose(`it could not be renewed for ${times.renewDeadlineMs} ms`);
    this.#cancelDeadline = timers.setTimer(times.renewDeadlineMs - ageMs, lose);
    if (isNew) listener.acquired(validity, aloneSinceMs);
    else listener.renewed(validity);
  }

  #lose(why: string): void {
    if (this.#isLost || this.#held === undefined || this.#stopping.signal.aborted) return;
    this.#isLost = true;
    this.#cancelDeadline();
    this.#stopping.abort();
    this.#options.listener.lost(why);
  }

  #jittered(ms: number): number {
    return ms * (1 + (JITTER_FACTOR - 1) * this.#options.random());
  }

  #report(error: unknown, retryInMs: number): void {
    if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error;
    this.#options.listener.failed(error, retryInMs);
  }

  async #pause(delayMs: number): Promise<void> {
    if (delayMs <= 0 || this.#stopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.timers.setTimer(delayMs, resolve);
    const stop = (): void => resolve();
    this.#wake = stop;
    this.#stopping.signal.addEventListener('abort', stop);
    await promise;
    this.#wake = () => undefined;
    this.#stopping.signal.removeEventListener('abort', stop);
    cancel();
  }
}

/**
 * Takes part in the election of a leader, and leads as long as the lease can be renewed. This is the algorithm of client-go for
 * one Lease object.
 *
 * Flow: get the lease → once this process is a candidate, take the lease when it is free, or has not changed for its duration →
 * renew it → `release`.
 *
 * Guarantees: every write requires the observed resource version, so only one of several candidates succeeds. A lease has expired
 * when *this* process has observed no change for its duration; clocks of other machines are never compared. The reported validity
 * ends before another candidate takes over. `lost` is called at most once, at the latest at the renew deadline.
 *
 * Assumptions: the clocks of all candidates run at about the same rate.
 *
 * Caveats: a request that was sent in time may arrive after another process has taken over. Leadership alone cannot prevent this.
 * If the lease is deleted, a candidate that has observed a holder waits for the lease duration, but a new process does not.
 *
 * @throws {ConfigurationError} for invalid times
 * @see https://github.com/kubernetes/client-go/blob/v0.36.0/tools/leaderelection/leaderelection.go
 */
export const startElection = (options: ElectionOptions): Election => {
  assertLeaseTimes(options.times);
  return new Candidate(options);
};
