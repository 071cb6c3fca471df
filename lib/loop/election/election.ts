import { ApiError, ConnectionError, type ReconcileError } from '#lib/errors.ts';
import type { ApiObject, KubeApi } from '#lib/kube/api.ts';
import type { Timers } from '#lib/kube/timers.ts';
import {
  LEASES,
  type LeaseRecord,
  type LeaseTarget,
  recordOf,
  releasedSpec,
  renewedSpec,
  takenSpec,
} from './lease-object.ts';
import { assertLeaseTimes, JITTER_FACTOR, type LeaseTimes } from './times.ts';

/** Until when nobody else takes over, by two clocks: what one of them sleeps through the other may notice. */
export interface Validity {
  /** Milliseconds, as `timers.elapsed()` counts. */
  readonly elapsedMs: number;
  /** Epoch milliseconds. */
  readonly wallMs: number;
}

/** Who is told how the election goes. Methods must not throw. */
export interface ElectionListener {
  /** This candidate leads from now on. */
  acquired(validity: Validity): void;
  /** The leadership goes on. */
  renewed(validity: Validity): void;
  /** It led and does not any more; there is no way back. */
  lost(why: string): void;
  /** The first attempt was made; told once, after `acquired` if that came of it. */
  attempted(): void;
  /** Somebody else leads; told once for each. */
  follows(holder: string): void;
  /** An attempt failed and is made again. */
  failed(error: ReconcileError, retryInMs: number): void;
}

/** What an election takes from outside. */
export interface ElectionOptions {
  readonly api: Pick<KubeApi, 'get' | 'apply' | 'patch'>;
  readonly lease: LeaseTarget;
  /** Different for every process, ever: `<pod name>_<random>`. */
  readonly identity: string;
  readonly times: LeaseTimes;
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly listener: ElectionListener;
}

/** A candidate. */
export interface Election {
  /** Ends the candidacy and gives the lease back, so that others need not wait. Never rejects. */
  release(): Promise<void>;
}

const FIELD_MANAGER = 'cdk8s-reconcile/election';

/** A create-only apply: somebody else's lease makes it fail with 409. */
const ONLY_CREATE = '1';

interface Observed {
  readonly record: LeaseRecord;
  readonly resourceVersion: string;
  /** When it was first seen like this, as `timers.elapsed()` counts. */
  readonly atMs: number;
}

interface Held {
  readonly resourceVersion: string;
  /** When the last request was sent that took or renewed it. */
  readonly sentAtMs: number;
}

const isStatus = (error: unknown, status: number): boolean => error instanceof ApiError && error.httpStatus === status;

class Candidate implements Election {
  readonly #options: ElectionOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #observed: Observed | undefined;
  #held: Held | undefined;
  #isLost = false;
  #wasAttempted = false;
  /** The last leader that was told of. */
  #followed = '';
  #cancelDeadline: () => void = () => undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#running = this.#run();
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

  /** @returns milliseconds until the next one */
  async #attempt(): Promise<number> {
    const { retryMs } = this.#options.times;
    if (this.#isOverdue()) {
      this.#lose('this process stood still for too long');
      return 0;
    }
    try {
      return await (this.#held === undefined ? this.#acquire() : this.#renew(this.#held));
    } catch (error) {
      this.#report(error, retryMs);
      return retryMs;
    }
  }

  /** After a sleep the timers come in the order in which they were due: the one for the next renewal first. */
  #isOverdue(): boolean {
    const { times, timers } = this.#options;
    return this.#held !== undefined && timers.elapsed() - this.#held.sentAtMs > times.renewDeadlineMs;
  }

  /** Takes the lease when nobody holds it, or whoever does has been silent for as long as it promised not to be. */
  async #acquire(): Promise<number> {
    const { identity, times, timers, listener } = this.#options;
    const observed = await this.#observe();
    if (observed === undefined) return this.#take(undefined);
    const { record, atMs } = observed;
    const remainingMs = atMs + record.durationMs - timers.elapsed();
    if (record.holder === '' || record.holder === identity || remainingMs <= 0) return this.#take(observed);
    if (record.holder !== this.#followed) listener.follows(record.holder);
    this.#followed = record.holder;
    // Not later than it may be over: so a crash costs the lease's duration and one request, and no retry besides.
    return Math.min(this.#jittered(times.retryMs), Math.max(remainingMs, 1));
  }

  async #take(observed: Observed | undefined): Promise<number> {
    const { identity, times, timers } = this.#options;
    const sentAtMs = timers.elapsed();
    const transitions = observed === undefined ? 0 : observed.record.transitions + 1;
    const spec = takenSpec({ identity, durationMs: times.durationMs, transitions, nowMs: timers.now() });
    try {
      const lease =
        observed === undefined ? await this.#create(spec) : await this.#patch(observed.resourceVersion, spec);
      this.#hold(lease, sentAtMs);
      return times.retryMs;
    } catch (error) {
      // Somebody else was faster: look again, as everybody else does.
      if (!isStatus(error, 409)) throw error;
      return this.#jittered(times.retryMs);
    }
  }

  async #renew({ resourceVersion }: Held): Promise<number> {
    const { times, timers } = this.#options;
    const sentAtMs = timers.elapsed();
    try {
      this.#hold(await this.#patch(resourceVersion, renewedSpec(timers.now())), sentAtMs);
      return times.retryMs;
    } catch (error) {
      if (!isStatus(error, 409) && !isStatus(error, 404)) throw error;
      return this.#lookAgain();
    }
  }

  /** The lease is not as we left it: an answer was lost, somebody annotated it, deleted it, or took it over. */
  async #lookAgain(): Promise<number> {
    const { identity } = this.#options;
    const observed = await this.#observe();
    if (observed === undefined) return this.#take(undefined);
    const { holder } = observed.record;
    if (holder !== identity) {
      this.#lose(
        holder === '' ? 'the lease was taken from us, and nobody holds it' : `"${holder}" holds the lease now`,
      );
      return 0;
    }
    if (this.#held) this.#held = { ...this.#held, resourceVersion: observed.resourceVersion };
    return 0;
  }

  async #observe(): Promise<Observed | undefined> {
    const { api, lease, timers } = this.#options;
    try {
      const live = await api.get(LEASES, lease);
      const record = recordOf(live);
      const { resourceVersion } = live.metadata;
      const isNews = this.#observed?.record.mark !== record.mark;
      const atMs = isNews ? timers.elapsed() : (this.#observed?.atMs ?? timers.elapsed());
      this.#observed = { record, resourceVersion, atMs };
      return this.#observed;
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      this.#observed = undefined;
      return undefined;
    }
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

  #hold(lease: ApiObject, sentAtMs: number): void {
    if (this.#isLost) return;
    const { times, timers, listener } = this.#options;
    const isNew = this.#held === undefined;
    this.#held = { resourceVersion: lease.metadata.resourceVersion, sentAtMs };
    // Others saw it no sooner than it was sent.
    const ageMs = timers.elapsed() - sentAtMs;
    const validity = { elapsedMs: sentAtMs + times.durationMs, wallMs: timers.now() - ageMs + times.durationMs };
    this.#cancelDeadline();
    const lose = (): void => this.#lose(`it could not be renewed for ${times.renewDeadlineMs} ms`);
    this.#cancelDeadline = timers.setTimer(times.renewDeadlineMs - ageMs, lose);
    if (isNew) listener.acquired(validity);
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
    this.#stopping.signal.addEventListener('abort', stop);
    await promise;
    this.#stopping.signal.removeEventListener('abort', stop);
    cancel();
  }
}

/**
 * Runs for leader, and stays it for as long as the lease can be renewed: client-go's algorithm over one Lease object.
 *
 * Flow: look at the lease → take it when nobody holds it, or when it has not changed for as long as its holder promised →
 * renew it → `release`.
 *
 * Guarantees: every change is bound to the resource version that was seen, so of several candidates one wins. Whether a
 * lease has expired is judged by how long *this* process has seen no change; clocks of others are never compared. The
 * validity that is told ends before anybody else takes over. `lost` comes at the renew deadline, even when a
 * request hangs, and at most once.
 *
 * Assumptions: clocks of all candidates run at about the same rate (a third faster is too fast).
 *
 * Caveats: a request that was sent in time may arrive late: leadership alone is no fence.
 *
 * @throws {ConfigurationError} for times that cannot work
 * @see https://github.com/kubernetes/client-go/blob/v0.36.0/tools/leaderelection/leaderelection.go
 */
export const startElection = (options: ElectionOptions): Election => {
  assertLeaseTimes(options.times);
  return new Candidate(options);
};
