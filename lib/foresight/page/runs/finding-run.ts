import type { CheckReport } from '#lib/foresight/check/check.ts';
import { coverageTexts, findingProblemText } from '#lib/foresight/check/finding-text.ts';
import { type StoryLine, storyOf } from '#lib/foresight/check/story.ts';
import { MAX_REPORT_EVENTS } from '../bounded-events.ts';
import type { ReportEvent, ReportRun } from '../report-run.ts';

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

/** The data of a report page about a check: the steps to the failure, or the sentence that the check found none. */
export const findingRun = (report: CheckReport): ReportRun => {
  const { failure, schedules, states } = report;
  const { lines, left } = failure === undefined ? { lines: [], left: 0 } : storyOf(failure, MAX_REPORT_EVENTS);
  const events = lines.map(eventOf);
  const lastMs = events.at(-1)?.atMs ?? 0;
  return {
    verb: 'check',
    title: failure === undefined ? 'Nothing found' : findingProblemText(failure),
    facts: [
      `${states} states and ${schedules} random schedules`,
      ...(failure === undefined ? [] : [`the failure needs ${failure.schedule.length} steps of a schedule`]),
    ],
    notes: [
      ...(failure?.schedule ?? []).map((step, index) => `Step ${index + 1} of the schedule: ${step}`),
      ...(left === 0 ? [] : [`${left} less important lines are left out.`]),
      ...coverageTexts(report),
      ...report.notes,
    ],
    durationMs: lastMs === 0 ? 0 : lastMs + 1,
    objects: [],
    events,
  };
};
