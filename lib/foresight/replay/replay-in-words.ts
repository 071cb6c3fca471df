import type { FieldChange } from '#lib/foresight/plan/field-changes.ts';
import type { RecordedAnswer } from '#lib/loop/record/pass-record.ts';
import { fieldLines, SIGNS, shownValue } from './answer-in-words.ts';
import type { Replayed } from './replay-pass.ts';

const differenceLine = ({ path, before, after }: FieldChange): string =>
  `    ${path}: ${shownValue(before)} → ${shownValue(after)}`;

const stateLines = (state: RecordedAnswer['state'] | undefined): readonly string[] =>
  state ? [`  It said then: ${state.state}, ${state.reason}: ${state.message}`] : [];

/** Formats a replayed pass: its decisions with their reasons, and the differences between the recorded and the current result. */
export const replayInWords = (replayed: Replayed): string => {
  const { pass, kind, key, at, answer, differences, unanswered, refused, eased } = replayed;
  const head = `Pass ${pass} of ${kind} ${key} at ${at}`;
  if (refused !== undefined || answer === undefined)
    return [head, `  It cannot be replayed: ${refused ?? 'it has no answer'}.`, ...stateLines(answer?.state), ''].join(
      '\n',
    );
  const { state, steps, status, failed } = answer;
  const verdict =
    differences.length === 0 ? '  The answer is the recorded one.' : '  The answer differs from the recorded one:';
  return [
    head,
    `  ${failed ? 'failed' : state.state}, ${state.reason}${state.message === '' ? '' : `: ${state.message}`}`,
    ...steps.map(({ step, kind: child, name, reason }) => `  ${SIGNS[step]} ${child} ${name} (${reason})`),
    '  status',
    ...fieldLines(status),
    ...(eased ? [`  The loop said in its place: ${eased.reason}: ${eased.message}`] : []),
    verdict,
    ...differences.map(differenceLine),
    ...unanswered.map(
      (question) => `  It makes a query that the recorded pass did not make, so the record has no answer: ${question}`,
    ),
    '',
  ].join('\n');
};
