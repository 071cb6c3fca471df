import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** A small heap and one thread make the decisions of V8 repeatable. */
const FLAGS = ['--allow-natives-syntax', '--max-semi-space-size=1', '--single-threaded'];

const youngShare = async (...words: readonly string[]): Promise<number> => {
  const script = fileURLToPath(new URL('young-share.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, script, ...words]);
  return Number(stdout);
};

it('keepNewObjectsYoung() keeps V8 from allocating objects in the old generation after many objects lived long', async () => {
  expect(await youngShare()).toBe(0);
  expect(await youngShare('keepNewObjectsYoung')).toBe(1);
});
