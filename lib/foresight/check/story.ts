import type { Failure } from '#lib/sim/explore/failure.ts';
import type { TraceEntry } from '#lib/sim/world/step/trace.ts';

/** One line of a finding: actor, action and result. */
export interface StoryLine {
  /** The number of the step in the trace. */
  readonly step: number;
  /** Milliseconds since the start. */
  readonly atMs: number;
  readonly who: string;
  /** The other party of a message; absent for an action of a single actor. */
  readonly whom?: string;
  readonly what: string;
  readonly outcome: string;
  /** The source of the line: a step of an actor, a user of the script, a fault, or a log line of the operator. */
  readonly sort: 'step' | 'user' | 'fault' | 'note';
}

const SERVER = 'API server';
const ARROW = /^(\S+) ([→←]) (.*)$/;
const ACTOR = /^(?!user\b)([a-z][a-z -]*): (.*)$/;

/** Routine steps: watches, lists and timers. The report leaves them out. */
const ROUTINE = / → (?:watch|list) | ← (?:watch |list |all |BOOKMARK )|wakes up$/;

const sortOf = ({ nature }: TraceEntry): StoryLine['sort'] => {
  if (nature === 'script') return 'user';
  return nature === 'fault' ? 'fault' : 'step';
};

const lineOf = (entry: TraceEntry): StoryLine => {
  const { step, atMs, label, outcome } = entry;
  const sort = sortOf(entry);
  const [, host, arrow, words = ''] = ARROW.exec(label) ?? [];
  if (host !== undefined) {
    return arrow === '→'
      ? { step, atMs, who: host, whom: SERVER, what: words, outcome, sort }
      : { step, atMs, who: SERVER, whom: host, what: words, outcome, sort };
  }
  const [, fault, rest = ''] = sort === 'fault' ? (/^([a-z ]+): (.*)$/.exec(label) ?? []) : [];
  const operator = /\boperator-\d+(?:\(crashed\)|\b)/.exec(label)?.[0];
  if (fault !== undefined && operator !== undefined) {
    return {
      step,
      atMs,
      who: operator,
      what: rest === operator ? fault : `${fault}: ${rest.replace(`${operator} `, '')}`,
      outcome,
      sort,
    };
  }
  if (sort === 'user')
    return { step, atMs, who: 'user', whom: SERVER, what: label.replace(/^user:? /, ''), outcome, sort };
  const [, actor, deed = label] = ACTOR.exec(label) ?? [];
  if (actor !== undefined) return { step, atMs, who: actor, whom: SERVER, what: deed, outcome, sort };
  const [, name, does = label] = /^(operator-\d+) (.*)$/.exec(label) ?? [];
  return { step, atMs, who: name ?? 'cluster', what: does, outcome, sort };
};

const isTold = ({ nature, label }: TraceEntry): boolean => {
  if (nature === 'fault' || nature === 'script') return true;
  return nature !== 'time' && nature !== 'harmless' && !ROUTINE.test(label);
};

/** Whether a line only confirms a successful request. The report leaves out such lines. */
const isEcho = ({ who, outcome, sort }: StoryLine): boolean =>
  who === SERVER && sort === 'step' && /^2\d\d\b/.test(outcome);

const isRefused = ({ outcome }: StoryLine): boolean => /^[45]\d\d\b/.test(outcome);

/**
 * The sequence of events that leads to a failure: steps of the script, faults, writes and refusals, other steps, and log lines of
 * the operators. The sequence begins at the first step of the script or the first fault, if there is one.
 *
 * @param most - maximum number of lines. Steps of the script, faults and refusals have priority. About two thirds
 *   of the other lines are from the beginning, and the rest from the end
 */
export const storyOf = (
  { trace }: Failure,
  most = Infinity,
): { readonly lines: readonly StoryLine[]; readonly left: number } => {
  const lines: StoryLine[] = [];
  const said = new Set<string>();
  for (const entry of trace) {
    const notes = entry.notes.map(
      (note): StoryLine => ({
        step: entry.step,
        atMs: entry.atMs,
        who: /^\S+(?=: )/.exec(note)?.[0] ?? '',
        what: note.replace(/^\S+: /, '').split('\n')[0] ?? '',
        outcome: '',
        sort: 'note',
      }),
    );
    const line = isTold(entry) ? lineOf(entry) : undefined;
    if (line !== undefined && !isEcho(line)) lines.push(line);
    // A note that an operator logs several times is shown once.
    lines.push(...notes.filter(({ who, what }) => !said.has(`${who} ${what}`)));
    for (const { who, what } of notes) said.add(`${who} ${what}`);
  }
  const first = Math.max(
    0,
    lines.findIndex(({ sort }) => sort === 'user' || sort === 'fault'),
  );
  const told = lines.slice(first);
  if (told.length <= most) return { lines: told, left: 0 };
  const must = told.filter((line) => line.sort === 'user' || line.sort === 'fault' || isRefused(line)).slice(0, most);
  const [head, tail] = [Math.ceil((2 * (most - must.length)) / 3), Math.floor((most - must.length) / 3)];
  const room = new Set([...must, ...told.slice(0, head), ...told.slice(told.length - tail)]);
  const kept = told.filter((line) => room.has(line));
  return { lines: kept, left: told.length - kept.length };
};
