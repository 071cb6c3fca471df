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
  /** Gives the lease back, so that others need not wait. */
  readonly release: () => Promise<void>;
}

const LOOK_EVERY_MS = 250;

/** Attempts to mark a status that another writer changes between our read and our write. */
const ATTEMPTS = 3;

/** How long the watchdog waits for an answer, in milliseconds. After that the log alone names the resource. */
const GRACE_MS = 4000;

const MICROS_PER_MILLI = 1000;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / MICROS_PER_MILLI;
};

/** The logger belongs to the main thread, which hangs: this line is written directly, in the same format. */
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

const within = async (work: Promise<void>, ms: number): Promise<string | undefined> => {
  const { promise, resolve } = Promise.withResolvers<string>();
  systemTimers.setTimer(ms, () => resolve(`no answer within ${ms} ms`));
  const failure = work.then(
    () => undefined,
    (error: unknown) => String(error),
  );
  return Promise.race([failure, promise]);
};

/** Ends the process by a signal: the main thread, which hangs, would not notice an exit. */
const endProcess = async ({ kinds, api, release }: WatchdogOptions, { kind, key }: AnnouncedCall): Promise<never> => {
  const guarded = kinds[kind];
  const fields = { kind: guarded?.resource.kind, key, reason: HUNG, limitMs: CALL_LIMIT_MS };
  log(fields, 'the function of this kind does not return for this resource, ending the process');
  const problem = guarded && (await within(mark(api, guarded, key), GRACE_MS));
  if (problem !== undefined) log({ ...fields, problem }, 'could not mark the resource, it may hang again');
  await within(release(), GRACE_MS);
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
};

/**
 * Observes the calls of functions in the main thread.
 *
 * Flow: checks four times a second → a call that took more than a second, both of time and of CPU → log → mark in the status →
 * lease released → end of the process.
 */
export const startWatchdog = (options: WatchdogOptions): void => {
  const { board } = options;
  const judge = createJudge({ limitMs: CALL_LIMIT_MS, everyMs: LOOK_EVERY_MS });
  const timer = setInterval(() => {
    const sequence = board.sequence();
    const isUnderWay = sequence % 2 !== 0;
    const hangs = judge({ sequence, cpuMs: isUnderWay ? cpuMs() : 0, nowMs: performance.now() });
    // It may have ended while it was judged.
    const call = hangs ? board.callOf(sequence) : undefined;
    if (!call) return;
    clearInterval(timer);
    void endProcess(options, call);
  }, LOOK_EVERY_MS);
};
