import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import type { CheckReport } from '#lib/foresight/check/check.ts';
import { joinReports } from '#lib/foresight/check/join-reports.ts';
import { endOf } from '../../dev/operator/child-end.ts';
import { type CheckLimits, type CheckOrder, checkPartsOf, type PartAnswer, type PartMessage } from './parts.ts';

/** The entry point in this folder: `.ts` in the source, `.js` in the package. */
const ENTRY = new URL(`./main${extname(new URL(import.meta.url).pathname)}`, import.meta.url);

/** A process that runs parts of a check. */
class CheckWorker implements Disposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(order: CheckOrder) {
    this.#child = fork(ENTRY, [String(process.pid)], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.#ended = endOf(this.#child);
    this.#send(order);
  }

  /** @returns the report; undefined after an error, and when the process has ended */
  async run(part: CheckLimits): Promise<CheckReport | undefined> {
    const { promise, resolve } = Promise.withResolvers<PartAnswer>();
    this.#child.once('message', resolve);
    void this.#ended.then(() => resolve({}));
    this.#send({ part });
    return (await promise).report;
  }

  #send(message: PartMessage): void {
    // A message to a process that has ended is lost; `endOf` reports the end.
    this.#child.send(message, () => undefined);
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}

/** Options for {@link checkInParts}. */
export interface PartedCheck {
  readonly limits: CheckLimits;
  /** The number of processes, at least 1. */
  readonly workers: number;
  readonly signal: AbortSignal;
  /** Runs a part in this process. */
  readonly runHere: (part: CheckLimits) => Promise<CheckReport>;
}

/**
 * Runs a check in several processes, which take its parts in order.
 *
 * Guarantees: the report is that of the same check in one process, unless the check has a time limit. A part with a failure or an
 * error, and the part of a process that ended, runs again in this process: its values have all details, such as the source line of
 * an error.
 *
 * @throws the reason of the signal, and each error of `runHere`
 */
export const checkInParts = async (order: CheckOrder, options: PartedCheck): Promise<CheckReport> => {
  const { limits, workers, signal, runHere } = options;
  const { endsAtMs = Infinity } = order;
  const parts = checkPartsOf(limits, workers);
  const answers = new Map<CheckLimits, CheckReport | undefined>();
  const queue = parts.values();
  // As in one process, at least one part runs.
  const isOver = (part: CheckLimits): boolean => part !== parts[0] && Date.now() >= endsAtMs;
  let isDecided = false;
  const takeParts = async (): Promise<void> => {
    using worker = new CheckWorker(order);
    const end = (): void => worker[Symbol.dispose]();
    signal.addEventListener('abort', end, { once: true });
    for (const part of queue) {
      if (isDecided || signal.aborted || isOver(part)) break;
      const report = await worker.run(part);
      isDecided ||= report === undefined || report.failure !== undefined;
      answers.set(part, report);
    }
    signal.removeEventListener('abort', end);
  };
  await Promise.all(Array.from({ length: Math.min(workers, parts.length) }, takeParts));
  signal.throwIfAborted();
  const reports: CheckReport[] = [];
  for (const part of parts) {
    const answer = answers.get(part);
    if (answer === undefined && isOver(part)) break;
    reports.push(answer === undefined || answer.failure !== undefined ? await runHere(part) : answer);
    if (reports.at(-1)?.failure !== undefined) break;
  }
  return joinReports(reports);
};
