import { describe } from 'vitest';
import { whyImpossible } from '../place/possible.ts';

/** Where the tests cannot run: skipped with one line, a failure if they were asked for by name in CI. */
const reason = process.env['NODE_TESTS'] === 'skip' ? 'its programs are missing' : await whyImpossible();

const isAskedFor = process.env['NODE_TESTS'] === 'asked';

if (reason !== undefined) {
  const text = `*** real node: SKIPPED, ${reason} ***`;
  if (isAskedFor && process.env['CI'] !== undefined) throw new Error(text);
  console.error(`\n${text}\n`);
}

/** Tests that need a real node. */
export const describeNode: typeof describe.only = reason === undefined ? describe : describe.skip;
