import { writeSync } from 'node:fs';
import { CALL_LIMIT_MS, HUNG, markingPatch } from '#lib/desired/runaway/hung.ts';
import { ApiError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { createJudge } from '#lib/loop/guardian/runaway/judge.ts';
import type { AnnouncedCall, Board } from './board.ts';
import type { GuardedKind } from './messages.ts';

/** Options of {@link startWatchdog}. */
export interface WatchdogOptions {
  readonly board: Board;
  readonly kinds: readonly GuardedKind[];
  readonly api: Pick<KubeApi, 'get' | 'patchStatus'>;
  /** Releases the lease, so that another process can lead. */
  readonly release: () => Promise<void>;
}

const LOOK_EVERY_MS = 250;

/**
 * The maximum number of attempts to mark a status. An attempt fails when another client changes the object between the read and
 * the write.
 */
const ATTEMPTS = 3;

/** The time limit for marking the resource, and then for releasing the lease, in milliseconds. */
const GRACE_MS = 4000;

const MICROS_PER_MILLI = 1000;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / MICROS_PER_MILLI;
};

/** Writes a log line directly, in the format of the logger. The logger itself runs in the main thread, which is blocked. */
const log = (fields: object, msg: string): void => {
  writeSync(1, `${JSON.stringify({ level: 'error', time: new Date().toISOString(), ...fields, msg })}\n`);
};

const mark = async (api: WatchdogOptions['api'], kind: GuardedKind, key: string): Promise<void> => {
  const [namespace = '', name = ''] = key.split('/');
  const target = namespace === '' ? { name } : { namespace, name };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const object = await api.get(kind.resource, target);
      const patch = markingPatch({ object, nowMs: Date.now() });
      await api.patchStatus(kind.resource, target, patch, { fieldManager: kind.fieldManager });
      return;
    } catch (error) {
      const isConflict = error instanceof ApiError && error.httpStatus === 409;
      if (!isConflict || attempt === ATTEMPTS) throw error;
    }
  }
};

/** Waits for work, but at most `ms` milliseconds. @returns the problem, if the work failed or was not done in this time */
const problemWithin = async (work: Promise<void>, ms: number): Promise<string | undefined> => {
  const { promise, resolve } = Promise.withResolvers<string>();
  systemTimers.setTimer(ms, () => resolve(`no answer within ${ms} ms`));
  return Promise.race([work.then(() => undefined, String), promise]);
};

/** Ends the process by a signal, because the blocked main thread could not end it. */
const endProcess = async ({ kinds, api, release }: WatchdogOptions, { kind, key }: AnnouncedCall): Promise<never> => {
  const guarded = kinds[kind];
  const fields = { kind: guarded?.resource.kind, key, reason: HUNG, limitMs: CALL_LIMIT_MS };
  log(fields, 'the function of this kind does not return for this resource, ending the process');
  const problem = guarded && (await problemWithin(mark(api, guarded, key), GRACE_MS));
  if (problem !== undefined) log({ ...fields, problem }, 'could not mark the resource, it may hang again');
  await problemWithin(release(), GRACE_MS);
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
};

/**
 * Observes the calls of functions in the main thread, and ends the process when a call hangs.
 *
 * Flow: while calls run, the watchdog checks the running call four times a second. While no call runs, the watchdog waits for the
 * next one, because a timer would wake the thread of an idle process. A call hangs if it has taken more than a second, both of
 * elapsed time and of CPU time. The watchdog then logs the call, marks the resource in its status, releases the lease and ends
 * the process.
 */
export const startWatchdog = (options: WatchdogOptions): void => {
  const { board } = options;
  const judge = createJudge({ limitMs: CALL_LIMIT_MS, everyMs: LOOK_EVERY_MS });
  let before = -1;
  const look = (): void => {
    const sequence = board.sequence();
    const isUnderWay = sequence % 2 !== 0;
    const hangs = judge({ sequence, cpuMs: isUnderWay ? cpuMs() : 0, nowMs: performance.now() });
    const call = hangs ? board.callOf(sequence) : undefined;
    if (call) return void endProcess(options, call);
    const isIdle = !isUnderWay && sequence === before;
    before = sequence;
    if (isIdle) void board.changed(sequence).then(look);
    else systemTimers.setTimer(LOOK_EVERY_MS, look);
  };
  look();
};
