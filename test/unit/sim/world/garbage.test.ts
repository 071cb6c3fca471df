import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** A whole world takes about 270 kB. */
const MOST_BYTES = 120_000;

const bytesLeft = async (...words: readonly string[]): Promise<number> => {
  const script = fileURLToPath(new URL('worlds-left.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, ...words]);
  return Math.min(...stdout.trim().split('\n').map(Number));
};

describe('World', () => {
  // A getter that is a closure keeps what it refers to until a full collection: see `readStatus` in lib/loop/pass/observe.ts.
  // The process of its own has no other garbage.
  it('World is freed by minor garbage collections, with the first pass of its operator', async () => {
    expect(await bytesLeft()).toBeLessThan(MOST_BYTES);
  });

  it('World is freed while a reflector of its operator waits for the next watch', async () => {
    expect(await bytesLeft('cut')).toBeLessThan(MOST_BYTES);
  });
});
