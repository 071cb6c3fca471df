import { writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { startControlPlane } from '#test/control-plane/control-plane.ts';
import type { Answer } from './case.ts';
import { cases } from './cases/index.ts';
import { realOracle } from './real.ts';
import { virtualAnswersOf } from './virtual.ts';

/** Asks the real API server about all cases, and writes its answers for the unit tests. */
await using plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false, audit: false });
const { answersOf } = await realOracle(plane);
const answers: Record<string, readonly Answer[]> = {};
for (const each of cases) {
  answers[each.name] = await answersOf(each);
  if (!isDeepStrictEqual(answers[each.name], virtualAnswersOf(each)))
    console.log(`the virtual answers differ: ${each.name}`);
}
const file = new URL('../../unit/sim/builtin/answers.json', import.meta.url);
await writeFile(file, `${JSON.stringify(answers, undefined, 1)}\n`);
