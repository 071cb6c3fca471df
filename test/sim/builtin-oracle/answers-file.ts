import { readFileSync, writeFileSync } from 'node:fs';
import type { Answer } from './case.ts';

const file = new URL('../../unit/apiserver/builtin/answers.jsonl', import.meta.url);

interface Line {
  readonly name: string;
  readonly answers: readonly Answer[];
}

/** The answers of the real API server, by the name of the case. */
export const readAnswers = (): ReadonlyMap<string, readonly Answer[]> => {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const { name, answers } = JSON.parse(line) as Line;
      return [name, answers];
    }),
  );
};

/** Writes one line per case. */
export const writeAnswers = (lines: readonly Line[]): void => {
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
};
