import { parentPort, workerData } from 'node:worker_threads';
import type { Credentials } from '#lib/kube/authentication.ts';
import { createPlainClient } from '#lib/kube/plain-client.ts';
import { systemTimers } from '#lib/kube/timers.ts';
import { type Election, startElection, type Validity } from '#lib/loop/election/election.ts';
import { createBoard } from './board.ts';
import { clockOriginMs } from './clock-origin.ts';
import type { Candidacy, FromGuardian, GuardianData, ToGuardian } from './messages.ts';

/** The guardian: the one other thread of an operator. It holds the lease while the main thread is busy. */

const data = workerData as GuardianData;
const board = createBoard(data.board);

/** How long a 401 waits for the main thread to find other credentials, in milliseconds; it may be busy. */
const RENEW_TIMEOUT_MS = 1000;

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
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = systemTimers.setTimer(RENEW_TIMEOUT_MS, resolve);
    await Promise.race([renewed.promise, promise]);
    cancel();
  },
};

/** From this thread's clock to the main thread's: both count from their own start. */
const shiftMs = clockOriginMs() - data.originMs;

const publish = ({ elapsedMs, wallMs }: Validity): void =>
  board.setValidity({ elapsedMs: elapsedMs + shiftMs, wallMs });

const runFor = ({ lease, identity, times }: Candidacy): Election => {
  // Two attempts fit into the time after which the leader gives up.
  const api = createPlainClient(credentials, { timeoutMs: times.renewDeadlineMs / 2 });
  return startElection({
    api,
    lease,
    identity,
    times,
    timers: systemTimers,
    random: Math.random,
    listener: {
      acquired: (validity) => {
        publish(validity);
        tell({ type: 'acquired' });
      },
      renewed: publish,
      lost: (why) => {
        publish({ elapsedMs: 0, wallMs: 0 });
        tell({ type: 'lost', why });
      },
      attempted: () => tell({ type: 'attempted' }),
      follows: (holder) => tell({ type: 'follows', holder }),
      failed: ({ code, message }, retryInMs) => tell({ type: 'failed', code, message, retryInMs }),
    },
  });
};

const election = data.candidacy && runFor(data.candidacy);
// Without one the thread would end at once.
const staysAlive = setInterval(() => undefined, 2 ** 30);

const release = async (): Promise<void> => {
  publish({ elapsedMs: 0, wallMs: 0 });
  await election?.release();
  clearInterval(staysAlive);
  tell({ type: 'released' });
};

parentPort?.on('message', (message: ToGuardian) => {
  if (message.type === 'release') {
    void release();
    return;
  }
  ({ authentication } = message);
  renewed.resolve();
  renewed = Promise.withResolvers<void>();
});
