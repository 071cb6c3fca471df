import type { CheckReport } from '#lib/foresight/check/check.ts';
import { joinReports } from '#lib/foresight/check/join-reports.ts';
import { AnsweringProcess, entryBeside } from '../../../child/answering-process.ts';
import { type CheckLimits, type CheckOrder, checkPartsOf, type PartAnswer, type PartMessage } from './parts.ts';

const ENTRY = entryBeside(import.meta.url);

/** Options for {@link checkInParts}. */
export interface PartedCheck {
  readonly limits: CheckLimits;
  /** The number of processes, at least 1. */
  readonly workers: number;
  /** Called between parts; no further part begins when the function returns true. */
  readonly isOver: () => boolean;
  readonly signal: AbortSignal;
  /** Runs a part completely in this process. */
  readonly runHere: (part: CheckLimits) => Promise<CheckReport>;
}

/** The smallest part with the failure of a report. */
const repeatOf = ({ way, failure }: CheckReport, part: CheckLimits): CheckLimits => {
  if (way === 'schedule') return { seed: failure?.seed ?? part.seed, schedules: 1, states: 0 };
  return { ...part, schedules: 0, ...(way === 'undisturbed' && { states: 0 }) };
};

/** The answers of the processes to the parts, in order; undefined if a process has ended, or was ended, without an answer. */
const answersTo = async (
  order: CheckOrder,
  parts: readonly CheckLimits[],
  { workers, signal, isOver }: PartedCheck,
): Promise<readonly (PartAnswer | undefined)[]> => {
  const answers: (PartAnswer | undefined)[] = [];
  const running = new Map<number, Disposable>();
  const endAfter = (last: number): void => running.forEach((worker, at) => at > last && worker[Symbol.dispose]());
  const endAll = (): void => endAfter(-1);
  let last = parts.length - 1;
  let next = 0;
  const takeParts = async (): Promise<void> => {
    using worker = new AnsweringProcess<PartMessage, PartAnswer>(ENTRY);
    worker.tell(order);
    // As in one process, the search and at least one schedule run.
    while (next <= last && !signal.aborted && (next < 2 || !isOver())) {
      const at = next++;
      running.set(at, worker);
      const got = await worker.ask({ part: parts[at] as CheckLimits });
      const answer = 'answer' in got ? got.answer : undefined;
      running.delete(at);
      answers[at] = answer;
      if (answer === undefined) return;
      if (answer.report !== undefined && answer.report.failure === undefined) continue;
      // The first failure or error in the order of the parts decides, so later parts do not matter.
      last = Math.min(last, at);
      endAfter(last);
    }
  };
  signal.addEventListener('abort', endAll, { once: true });
  await Promise.all(Array.from({ length: Math.min(workers, parts.length) }, takeParts));
  signal.removeEventListener('abort', endAll);
  signal.throwIfAborted();
  return Array.from({ length: next }, (_, at) => answers[at]);
};

/**
 * Runs a check in several processes, which take its parts in order.
 *
 * Guarantees: the report is that of the same check in one process, unless the check has a time limit. A failure is repeated in
 * this process, because only its own values have all details, such as the source line of an error. So is a part that ended with an
 * error, or whose process ended.
 *
 * @throws the reason of the signal, and each error of `runHere`
 */
export const checkInParts = async (order: CheckOrder, options: PartedCheck): Promise<CheckReport> => {
  const { limits, workers, isOver, runHere } = options;
  const parts = checkPartsOf(limits, workers);
  const answers = await answersTo(order, parts, options);
  const reports: CheckReport[] = [];
  for (const [at, part] of parts.entries()) {
    if (at >= answers.length && isOver()) break;
    const report = answers[at]?.report ?? (await runHere(part));
    const { failure } = report;
    if (failure !== undefined && report === answers[at]?.report) {
      const repeated = await runHere(repeatOf(report, part));
      reports.push({ ...report, failure: repeated.failure ?? failure });
    } else reports.push(report);
    if (failure !== undefined) break;
  }
  return joinReports(reports);
};
