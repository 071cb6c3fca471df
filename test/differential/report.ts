import type { Difference, Mismatch } from './compare.ts';
import { describeStep, type Step } from './step.ts';

const MAX_LENGTH = 600;

const show = (value: unknown): string => {
  if (value === undefined) return '(nothing)';
  const text = JSON.stringify(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
};

const showDifference = ({ path, expected, actual }: Difference): string =>
  `    ${path}\n      - ${show(expected)}\n      + ${show(actual)}`;

interface ReportOptions {
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly mismatch: Mismatch;
  /** Names of the two servers; the server with the expected answers first. */
  readonly sides: readonly [string, string];
}

/** Formats a mismatch: the sequence up to its step, the differences, and the command that reproduces it. */
export const reportMismatch = ({ seed, steps, mismatch, sides }: ReportOptions): string => {
  const last = steps.findIndex(({ id }) => id === mismatch.step.id);
  const lines = steps
    .slice(0, last + 1)
    .map(
      (step) => `  ${step.id === mismatch.step.id ? '>' : ' '} ${String(step.id).padStart(2)} ${describeStep(step)}`,
    );
  return [
    `seed ${seed}: ${describeStep(mismatch.step).split('\n')[0] ?? ''}`,
    ...lines,
    `  what differs (- ${sides[0]}, + ${sides[1]}):`,
    ...mismatch.differences.map(showDifference),
    `  again: node test/differential/replay.ts --seed ${seed}`,
  ].join('\n');
};
