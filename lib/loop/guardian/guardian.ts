import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { NotLeadingError, type ReconcileError } from '#lib/errors.ts';
import type { Credentials } from '#lib/kube/authentication.ts';
import { systemTimers } from '#lib/kube/timers.ts';
import { createLeadership, type HeldLeadership, type Leadership } from '#lib/loop/election/leadership.ts';
import type { LoopMetrics } from '#lib/loop/metrics.ts';
import type { CallWatch } from '#lib/loop/runaway/guarded-kind.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { createBoard } from './board.ts';
import { clockOriginMs } from './clock-origin.ts';
import type { Candidacy, FromGuardian, GuardedKind, GuardianData, ToGuardian } from './messages.ts';

/** Whom a guardian guards. */
export interface GuardianOptions {
  readonly credentials: Credentials;
  readonly log: Logger;
  /** Whose functions are watched over. */
  readonly kinds: readonly GuardedKind[];
  /** Told who leads. */
  readonly metrics: Pick<LoopMetrics, 'leading'>;
  /** Absent when leader election is off. */
  readonly candidacy?: Candidacy;
  /** How long a write may take: so much before the end of the lease none is started. Milliseconds. */
  readonly writeTimeoutMs: number;
}

/** The other thread of the process, as the main thread sees it. */
export interface Guardian {
  /** Absent when leader election is off: everybody may write. */
  readonly leadership?: Leadership;
  /** To be told of every call of a kind's function, by the kind's number. */
  readonly watch: CallWatch;
  /** Resolves when it is known whether nobody else leads; or cannot be known yet. */
  readonly attempted: Promise<void>;
  /** Rejects when the process must not go on: it has lost the lease, or its guardian. Never resolves. */
  readonly failed: Promise<never>;
  /** Ends it: no writes from now on; the lease is given back, so that others need not wait. A second call waits for the first. */
  stop(): Promise<void>;
}

/** Kubelets replace a token when a fifth of its life is left: with one hour, 12 minutes. */
const CREDENTIALS_EVERY_MS = 60_000;

/** The lease is worth so much waiting at the end; whoever comes next waits for it to expire otherwise. */
const STOP_TIMEOUT_MS = 4000;

/** Beside this file in source, beside the entry point in a bundle; with the ending of whichever it is. */
const WORKER = new URL(`./worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url);

/** The thread sends a request every other second: it needs no room to let garbage pile up. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 };

/** A problem that lasts is told so often, in attempts: once a minute with a lease of 15 s. */
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

/** Hands over fresh credentials when there are some; always answers when asked. */
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

const settled = async (promise: Promise<unknown>, timeoutMs: number): Promise<void> => {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = systemTimers.setTimer(timeoutMs, resolve);
  await Promise.race([promise, late]);
  cancel();
};

/**
 * Starts the guardian: a second thread, with a connection of its own, that holds the lease for this process, and ends it when a
 * call of a kind's function hangs.
 *
 * Flow: runs for leader → tells when it leads → prolongs the leadership through shared memory → `stop`.
 *
 * Guarantees: the lease is renewed however busy the main thread is; the main thread knows without waiting whether it may
 * write. When the lease or the thread is lost, `failed` rejects and no write starts any more.
 *
 * Assumptions: whoever waits for `failed` ends the process.
 *
 * Caveats: costs about 14 MiB. Fresh credentials reach it through the main thread, at most a minute late.
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
  // It may reject before, or without, anybody waiting for it.
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
  listen(worker, { leadership, log, candidacy, tellMetrics, setAttempted, setReleased, relay, fail });
  if (candidacy === undefined) setAttempted();
  const stop = async (): Promise<void> => {
    leadership.end('this process is ending');
    relay.stop();
    post({ type: 'release' });
    await settled(released, STOP_TIMEOUT_MS);
    await worker.terminate();
  };
  let stopping: Promise<void> | undefined;
  return { ...(candidacy && { leadership }), watch: board, attempted, failed, stop: async () => (stopping ??= stop()) };
};

interface Hearers {
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
  const { leadership, log, candidacy, tellMetrics, setAttempted, setReleased, relay, fail } = hearers;
  const lease = nameOf(candidacy);
  const teller = failureTeller(log, candidacy);
  const hear = (message: FromGuardian): void => {
    switch (message.type) {
      case 'acquired':
        teller.well();
        log.info({ lease, identity: candidacy?.identity }, 'leading');
        tellMetrics(true);
        return leadership.acquire();
      case 'attempted':
        return setAttempted();
      case 'follows':
        teller.well();
        return log.info({ lease, leader: message.holder }, 'standing by, somebody else leads');
      case 'failed':
        return teller.failed(message);
      case 'lost':
        return fail(new NotLeadingError(`Lost the lease "${lease}": ${message.why}; starting again is the way out`));
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
