import { parentPort, workerData } from 'node:worker_threads';
import { createPlainClient } from '#lib/kube/client/plain-client.ts';
import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { startElection } from '#lib/loop/election/election.ts';
import type { Election, LeaseValidity } from '#lib/loop/election/types.ts';
import { within } from '#lib/loop/flow/within.ts';
import { clockOriginMs, createBoard } from './board.ts';
import type { Candidacy, FromGuardian, GuardianData, ToGuardian } from './messages.ts';
import { startWatchdog } from './watchdog.ts';

/**
 * The guardian: the second thread of an operator. It renews the lease while the main thread is busy, and ends the process when a
 * function does not return.
 */

const data = workerData as GuardianData;
const board = createBoard(data.board);

/** The time limit for getting new credentials from the main thread after a 401, in milliseconds. The main thread may be busy. */
const RENEW_TIMEOUT_MS = 1000;

const DEFAULT_TIMEOUT_MS = 5000;

const tell = (message: FromGuardian): void => parentPort?.postMessage(message);

let { authentication } = data;
let renewed = Promise.withResolvers<void>();

const credentials: Credentials = {
  server: data.server,
  namespace: data.candidacy?.lease.namespace ?? 'default',
  source: 'the main thread',
  authenticate: async () => authentication,
  renew: async () => {
    tell({ type: 'renew' });
    await within(renewed.promise, RENEW_TIMEOUT_MS, systemTimers);
  },
};

/** The offset from the clock of this thread to the clock of the main thread. Each clock begins with its thread. */
const shiftMs = clockOriginMs() - data.originMs;

const publish = ({ elapsedMs, wallMs }: LeaseValidity): void =>
  board.setValidity({ elapsedMs: elapsedMs + shiftMs, wallMs });

/** The time limit of a request. It allows two attempts within the renew deadline of a leader. */
const timeoutMs = data.candidacy ? data.candidacy.times.renewDeadlineMs / 2 : DEFAULT_TIMEOUT_MS;
const api = createPlainClient(credentials, { timeoutMs });

const runFor = ({ lease, identity, times }: Candidacy): Election =>
  startElection({
    api,
    lease,
    identity,
    times,
    timers: systemTimers,
    random: Math.random,
    stands: false,
    listener: {
      acquired: (validity, aloneSinceMs) => {
        publish(validity);
        tell({ type: 'acquired', aloneSinceMs: aloneSinceMs + shiftMs });
      },
      renewed: publish,
      lost: (why) => {
        publish({ elapsedMs: 0, wallMs: 0 });
        tell({ type: 'lost', why });
      },
      restored: (versions, seenAtMs) => tell({ type: 'restored', versions, seenAtMs: seenAtMs + shiftMs }),
      attempted: () => tell({ type: 'attempted' }),
      follows: (holder) => tell({ type: 'follows', holder }),
      failed: ({ code, message }, retryInMs) => tell({ type: 'failed', code, message, retryInMs }),
    },
  });

const election = data.candidacy && runFor(data.candidacy);

const release = async (): Promise<void> => {
  publish({ elapsedMs: 0, wallMs: 0 });
  await election?.release();
};

startWatchdog({ board, kinds: data.kinds, api, release });

parentPort?.on('message', (message: ToGuardian) => {
  if (message.type === 'release') {
    void release().then(() => tell({ type: 'released' }));
    return;
  }
  if (message.type === 'stand') {
    election?.stand(message.stands);
    return;
  }
  ({ authentication } = message);
  renewed.resolve();
  renewed = Promise.withResolvers<void>();
});
