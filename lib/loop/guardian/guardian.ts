import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { NotLeadingError, type ReconcileError } from '#lib/errors.ts';
import { resourceName } from '#lib/kind/handles/reference.ts';
import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import type { Evidence } from '#lib/loop/cache/restored/restores.ts';
import type { LoopMetrics } from '#lib/loop/context/metrics.ts';
import { createLeadership, type HeldLeadership, type Leadership } from '#lib/loop/election/leadership.ts';
import { LEASES } from '#lib/loop/election/lease-object.ts';
import { within } from '#lib/loop/flow/within.ts';
import type { CallWatch } from '#lib/loop/guardian/runaway/guarded-kind.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { clockOriginMs, createBoard } from './board.ts';
import type { Candidacy, FromGuardian, GuardedKind, GuardianData, ToGuardian } from './messages.ts';

/** Options of {@link startGuardian}. */
export interface GuardianOptions {
  readonly credentials: Credentials;
  readonly log: Logger;
  /** The kinds with supervised functions. */
  readonly kinds: readonly GuardedKind[];
  /** Receives whether this process is the leader. */
  readonly metrics: Pick<LoopMetrics, 'leading'>;
  /** Absent when leader election is off. */
  readonly candidacy?: Candidacy;
  /**
   * Called when the lease proves that the storage was restored. `seenAtMs` is the time of the last response with the newer state,
   * by `systemTimers.elapsed`.
   */
  readonly onRestored: (evidence: Evidence, seenAtMs: number) => void;
  /** The time limit of a write, in milliseconds: no write starts when less time is left until the end of the lease. */
  readonly writeTimeoutMs: number;
}

/** The interface of the main thread to the guardian. */
export interface Guardian {
  /** Absent when leader election is off; every process may write then. */
  readonly leadership?: Leadership;
  /** Receives the start and the end of each call of a function in the main thread, unless the call has a time limit there. */
  readonly watch: CallWatch;
  /**
   * Resolves after the first attempt to read the lease, even if it failed; at once when leader election is off. If the lease was
   * free, then lists that begin later include all writes of earlier leaders.
   */
  readonly attempted: Promise<void>;
  /** Sets whether the guardian takes a free lease. At first, it only observes the lease. A call does not end a leadership. */
  readonly stand: (stands: boolean) => void;
  /** Rejects when the lease or the thread of the guardian is lost; the process must then end. Rejects after `stop`, too. */
  readonly failed: Promise<never>;
  /** Refuses further writes, and releases the lease, so that another process can lead. A second call waits for the first one. */
  stop(): Promise<void>;
}

/** The interval of checks for new credentials. Kubelets renew a token of one hour 12 minutes before it expires. */
const CREDENTIALS_EVERY_MS = 60_000;

/** The time limit for releasing the lease. If it is not released, the next leader waits until the lease expires. */
const STOP_TIMEOUT_MS = 4000;

/** The file of the thread. It is next to this file, or next to the entry point of a bundle, and has the same extension. */
const WORKER = new URL(`./worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url);

/** The memory limits of the thread. They are low, because the thread only sends a request every two seconds. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 };

/** One of this number of consecutive failures is logged as a warning. With a lease of 15 s, this is one warning per minute. */
const TELL_EVERY = 30;

const failureTeller = (log: Logger, candidacy: Candidacy | undefined) => {
  let inARow = 0;
  return {
    well: () => void (inARow = 0),
    failed: ({ code, message, retryInMs }: Extract<FromGuardian, { type: 'failed' }>): void => {
      const level = inARow % TELL_EVERY === 0 ? 'warn' : 'debug';
      inARow += 1;
      const advice = code === 'Forbidden' && 'apply the Role and the binding of the install bundle';
      const fields = { lease: nameOf(candidacy), problem: message, ...(advice && { advice }), retryInMs };
      log[level](fields, 'lease request failed, trying again');
    },
  };
};

const nameOf = (candidacy: Candidacy | undefined): string =>
  candidacy === undefined ? '' : `${candidacy.lease.namespace}/${candidacy.lease.name}`;

/** Sends new credentials to the guardian. Each request for credentials has a response, even if there are no new credentials. */
const relayCredentials = (credentials: Credentials, post: (message: ToGuardian) => void) => {
  let shown = credentials.authenticate();
  const relay = async (always: boolean): Promise<void> => {
    const before = await shown;
    shown = credentials.authenticate();
    const authentication = await shown;
    if (always || authentication !== before) post({ type: 'credentials', authentication });
  };
  const timer = setInterval(() => void relay(false), CREDENTIALS_EVERY_MS).unref();
  return {
    renew: async () => {
      await credentials.renew();
      await relay(true);
    },
    stop: () => clearInterval(timer),
  };
};

/**
 * Starts the guardian: a second thread with its own connection. The guardian holds the lease for this process, and ends the
 * process when a function does not return.
 *
 * Flow: the guardian observes the lease → after `stand`, it takes the lease when it is free → it reports that it leads → it
 * extends the validity in the shared memory → `stop`.
 *
 * Guarantees: the lease is renewed even while the main thread is busy. The main thread can check at any time, without a request,
 * whether it may write. When the lease or the thread is lost, `failed` rejects and no more writes start.
 *
 * Assumptions: the caller ends the process when `failed` rejects.
 *
 * Caveats: the thread takes about 14 MiB. The main thread sends new credentials with a delay of up to a minute.
 */
export const startGuardian = async (options: GuardianOptions): Promise<Guardian> => {
  const { credentials, log, metrics, candidacy, kinds, writeTimeoutMs } = options;
  const board = createBoard();
  const leadership = createLeadership({ timers: systemTimers, writeTimeoutMs, validity: board.validity });
  const data: GuardianData = {
    board: board.buffer,
    server: credentials.server,
    authentication: await credentials.authenticate(),
    kinds,
    ...(candidacy && { candidacy }),
    originMs: clockOriginMs(),
  };
  const worker = new Worker(WORKER, { workerData: data, resourceLimits: LIMITS });
  const post = (message: ToGuardian): void => worker.postMessage(message);
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const { promise: attempted, resolve: setAttempted } = Promise.withResolvers<void>();
  const { promise: released, resolve: setReleased } = Promise.withResolvers<void>();
  // The promise may reject before a caller awaits it. Without this handler, Node.js would end the process.
  failed.catch(() => undefined);
  const relay = relayCredentials(credentials, post);
  const tellMetrics = (isLeading: boolean): void => {
    if (candidacy) metrics.leading(candidacy.lease.name, isLeading);
  };
  tellMetrics(false);
  const fail = (error: ReconcileError): void => {
    leadership.end(error.message);
    tellMetrics(false);
    setAttempted();
    setReleased();
    reject(error);
  };
  const { onRestored } = options;
  listen(worker, { onRestored, leadership, log, candidacy, tellMetrics, setAttempted, setReleased, relay, fail });
  if (candidacy === undefined) setAttempted();
  const stop = async (): Promise<void> => {
    leadership.end('this process is ending');
    relay.stop();
    post({ type: 'release' });
    await within(released, STOP_TIMEOUT_MS, systemTimers);
    await worker.terminate();
  };
  let stopping: Promise<void> | undefined;
  const stand = (stands: boolean): void => post({ type: 'stand', stands });
  const end = async (): Promise<void> => (stopping ??= stop());
  return { ...(candidacy && { leadership }), watch: board, attempted, stand, failed, stop: end };
};

interface Hearers extends Pick<GuardianOptions, 'onRestored'> {
  readonly leadership: HeldLeadership;
  readonly log: Logger;
  readonly candidacy: Candidacy | undefined;
  readonly tellMetrics: (isLeading: boolean) => void;
  readonly setAttempted: () => void;
  readonly setReleased: () => void;
  readonly relay: { readonly renew: () => Promise<void> };
  readonly fail: (error: ReconcileError) => void;
}

const listen = (worker: Worker, hearers: Hearers): void => {
  const { onRestored, leadership, log, candidacy, tellMetrics, setAttempted, setReleased, relay, fail } = hearers;
  const lease = nameOf(candidacy);
  const teller = failureTeller(log, candidacy);
  const hear = (message: FromGuardian): void => {
    switch (message.type) {
      case 'acquired':
        teller.well();
        log.info({ lease, identity: candidacy?.identity }, 'leading');
        tellMetrics(true);
        return leadership.acquire({ aloneSinceMs: message.aloneSinceMs });
      case 'restored':
        return onRestored(
          { by: 'lease', resource: resourceName(LEASES), object: candidacy?.lease.name ?? '', ...message.versions },
          message.seenAtMs,
        );
      case 'attempted':
        return setAttempted();
      case 'follows':
        teller.well();
        return log.info({ lease, leader: message.holder }, 'standing by, another process leads');
      case 'failed':
        return teller.failed(message);
      case 'lost':
        return fail(new NotLeadingError(`Lost the lease "${lease}": ${message.why}; the process must be restarted`));
      case 'renew':
        return void relay.renew();
      case 'released':
        return setReleased();
    }
  };
  worker.on('message', hear);
  worker.on('error', (error) => fail(new NotLeadingError(`The thread that holds the lease failed: ${String(error)}`)));
  worker.on('exit', () => fail(new NotLeadingError('The thread that holds the lease ended')));
};
