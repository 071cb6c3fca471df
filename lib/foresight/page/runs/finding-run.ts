import type { CheckReport } from '#lib/foresight/check/check.ts';
import { coverageTexts, findingProblemText } from '#lib/foresight/check/finding-text.ts';
import type { FailureListener } from '#lib/foresight/check/repeat-failure.ts';
import { type StoryLine, storyOf } from '#lib/foresight/check/story.ts';
import { countText } from '#lib/foresight/simulate/report/count-text.ts';
import { boundedEvents, MAX_REPORT_EVENTS } from '../bounded-events.ts';
import { withCauses } from '../causes.ts';
import type { ReportEvent, ReportRun } from '../report-run.ts';
import { RunRecorder } from '../run-recorder.ts';

const SORTS: Readonly<Record<StoryLine['sort'], string>> = {
  step: 'step',
  user: 'change',
  fault: 'fault',
  note: 'event',
};

const eventOf = ({ atMs, who, whom, what, outcome, sort }: StoryLine): ReportEvent => ({
  atMs,
  sort: SORTS[sort],
  who,
  what: `${whom === undefined || sort === 'note' ? '' : `→ ${whom}: `}${what}`,
  ...(outcome !== '' && { why: outcome }),
  ...((sort === 'fault' || /^[45]\d\d\b/.test(outcome)) && { isBad: true }),
});

/** Records the changes of objects in the repeated run of a failure. */
export class FailureRecorder extends RunRecorder implements FailureListener {
  /** The number of events after each step. */
  readonly #ends: number[] = [];

  ends(): void {
    this.#ends.push(this.events.length);
  }

  /** The changes of each step, in order. The recorder can add a reason to a change in a later step. */
  get changes(): readonly (readonly ReportEvent[])[] {
    return this.#ends.map((end, index) => this.events.slice(this.#ends[index - 1] ?? 0, end));
  }
}

/** A line with the change of its step. The reason of the operator replaces the result of the request, which goes into the text. */
const withChange = (own: ReportEvent, change: ReportEvent): ReportEvent => {
  const { sort, why } = change;
  const both = { ...change, ...own, sort };
  return why === undefined ? both : { ...both, what: `${own.what}: ${own.why}`, why };
};

/** The lines of a failure with the changes of objects in their steps. The first change of a step has the words of its line. */
const eventsOf = (
  lines: readonly StoryLine[],
  changes: readonly (readonly ReportEvent[])[],
): readonly ReportEvent[] => {
  const events: ReportEvent[] = [];
  let done = 0;
  for (const line of lines) {
    events.push(...changes.slice(done, line.step - 1).flat());
    const [first, ...rest] = done < line.step ? (changes[line.step - 1] ?? []) : [];
    done = line.step;
    events.push(first === undefined ? eventOf(line) : withChange(eventOf(line), first), ...rest);
  }
  return events;
};

/**
 * The data of a report page about a check: the steps to the failure, or the sentence that the check found none.
 *
 * @param report - the result of the check
 * @param recorder - the listener of the repeated run of the failure. @default the page has no objects
 */
export const findingRun = (report: CheckReport, recorder?: FailureRecorder): ReportRun => {
  const { failure, schedules, states } = report;
  const { lines, left } = failure === undefined ? { lines: [], left: 0 } : storyOf(failure, MAX_REPORT_EVENTS / 2);
  const bounded = boundedEvents(withCauses(eventsOf(lines, recorder?.changes ?? [])));
  const lastMs = bounded.events.at(-1)?.atMs ?? 0;
  return {
    verb: 'check',
    title: failure === undefined ? 'Nothing found' : findingProblemText(failure),
    facts: [
      `${countText(states, 'state')} and ${countText(schedules, 'random schedule')}`,
      ...(failure === undefined
        ? []
        : [`the failure needs ${countText(failure.schedule.length, 'step')} of a schedule`]),
    ],
    notes: [
      ...(failure?.schedule ?? []).map((step, index) => `Step ${index + 1} of the schedule: ${step}`),
      ...(left === 0 ? [] : [`${left} less important lines are left out.`]),
      ...coverageTexts(report),
      ...report.notes,
      ...bounded.notes,
    ],
    durationMs: lastMs === 0 ? 0 : lastMs + 1,
    objects: recorder?.objects ?? [],
    events: bounded.events,
  };
};
