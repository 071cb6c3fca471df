import { countText } from '#lib/foresight/simulate/report/count-text.ts';
import { clockText } from '#lib/foresight/simulate/script/time-text.ts';
import type { Failure } from '#lib/sim/explore/failure.ts';
import { canConflict } from '#lib/sim/world/step/step.ts';
import type { CheckReport } from './check.ts';
import { type StoryLine, storyOf } from './story.ts';

/** Options for {@link findingText}. */
export interface FindingTextOptions {
  /** The command that repeats the failure. */
  readonly again?: string;
  /** Position of the kind in the project, such as ` (kinds/website.ts:12)`. @default none */
  readonly place?: string;
  /** Maximum number of lines of the sequence. @default 60 */
  readonly lines?: number;
}

const MOST_LINES = 60;

const MARKS: Readonly<Record<StoryLine['sort'], string>> = { step: ' ', user: '>', fault: '!', note: '·' };

const lineText = ({ atMs, who, whom, what, outcome, sort }: StoryLine): string => {
  const arrow = whom === undefined || sort === 'note' ? '' : ` → ${whom}`;
  const end = outcome === '' ? '' : `: ${outcome}`;
  return `  ${clockText(atMs)} ${MARKS[sort]} ${who}${arrow}  ${what}${end}`;
};

const WAYS = {
  undisturbed: 'even without a fault',
  search: 'found by searching the states near the start',
  schedule: 'found by a random schedule',
} as const;

const schedule = ({ schedule: entries }: Failure): readonly string[] =>
  entries.length === 0
    ? []
    : [
        '',
        'It takes this (… stands for the steps of a calm cluster until then):',
        ...entries.map((entry) => `  ${entry}`),
      ];

/** The message of the problem, without its list of the last steps, because the report prints the steps separately. */
export const findingProblemText = ({ problem }: Failure): string =>
  problem.message.replace(/; the last steps:[\s\S]*$/, '');

/** The part of all schedules that the search covered. */
const searchBound = ({ states, isExhausted, completeDepth, untried }: CheckReport): readonly string[] => {
  if (states === 0) return [];
  const part = isExhausted ? 'every order of events' : `every order of the first ${completeDepth} events`;
  const limit = `The search stopped after ${countText(states, 'state')}, and tried no event after ${untried} of them.`;
  return [
    `The search tried ${part} with at most one crash and two advances of time.`,
    ...(untried === 0 ? [] : [limit]),
  ];
};

/** One line for each class of faults: the number of writes that it hit, and the writes that it did not hit. */
const coverageLines = ({ coverage }: CheckReport): readonly string[] => {
  if (coverage === undefined || coverage.writes.length === 0) return [];
  const { writes, hit } = coverage;
  const lines = Object.entries(hit).map(([fault, names]) => {
    const possible =
      fault === 'conflict' ? writes.filter((write) => canConflict(write.split(' ', 1)[0] ?? '')) : writes;
    const missed = possible.filter((write) => !names.includes(write));
    const rest = missed.length === 0 ? '' : `; not ${missed.join(', ')}`;
    return `  ${fault}: ${possible.length - missed.length} of ${possible.length}${rest}`;
  });
  return ['Writes that the faults of the random schedules hit:', ...lines];
};

/** Describes the coverage of a check: the orders of events that the search tried, and the writes that faults hit. */
export const coverageTexts = (report: CheckReport): readonly string[] => [
  ...searchBound(report),
  ...coverageLines(report),
];

/**
 * Formats the result of a check: the shortest failing run step by step, or a sentence that the check found no failure, and its
 * coverage.
 */
export const findingText = (report: CheckReport, options: FindingTextOptions = {}): string => {
  const { failure, way, schedules, states } = report;
  const tried = `${countText(states, 'state')}, ${countText(schedules, 'random schedule')}`;
  if (failure === undefined || way === undefined) {
    return [`Nothing found: ${tried}.`, ...coverageTexts(report)].join('\n');
  }
  const { again, place = '', lines: most = MOST_LINES } = options;
  const { lines, left } = storyOf(failure, most);
  const seed = way === 'schedule' ? `, seed ${failure.seed}` : '';
  return [
    `${findingProblemText(failure)}${place}`,
    '',
    `${WAYS[way]}${seed} (${tried})`.replace(/^./, (letter) => letter.toUpperCase()),
    ...schedule(failure),
    '',
    left === 0 ? 'What happened:' : `What happened (${countText(left, 'less important line', ' left out')}):`,
    ...lines.map(lineText),
    ...(again === undefined ? [] : ['', `Run it again: ${again}`]),
  ].join('\n');
};
