import { isDeepStrictEqual } from 'node:util';
import { startControlPlane } from '#test/control-plane/control-plane.ts';
import { writeAnswers } from './answers-file.ts';
import type { Answer } from './case.ts';
import { cases } from './cases/index.ts';
import { realOracle } from './real.ts';
import { virtualAnswersOf } from './virtual.ts';

/** Sends all cases to the real API server, and writes its answers for the unit tests. */
await using plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false, audit: false });
const { answersOf } = await realOracle(plane);
const lines: { name: string; answers: readonly Answer[] }[] = [];
for (const each of cases) {
  const answers = await answersOf(each);
  lines.push({ name: each.name, answers });
  if (isDeepStrictEqual(answers, virtualAnswersOf(each))) continue;
  process.stdout.write(`The virtual answers differ: ${each.name}\n`);
}
writeAnswers(lines);
