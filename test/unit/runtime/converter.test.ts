import { pathToFileURL } from 'node:url';
import { threadId } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { type Converter, startConverter } from '#lib/runtime/conversion/converter.ts';
import { entryIn } from '#lib/runtime/conversion/entry.ts';
import { threaded } from './conversion-entry.ts';

const entry = new URL('conversion-entry.ts', import.meta.url);
const nothing = new URL('data:text/javascript,');

let converter: Converter | undefined;
const lines: unknown[] = [];
const log = { warn: (fields: unknown) => void lines.push(fields) };

afterEach(async () => {
  await converter?.close();
  lines.length = 0;
});

interface Answered {
  readonly response: { readonly convertedObjects: readonly { readonly spec: { readonly thread: number } }[] };
}

const review = (text: string): string =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: {
      uid: 'u',
      desiredAPIVersion: 'demo.example.com/v2',
      objects: [{ apiVersion: 'demo.example.com/v1', kind: 'Threaded', metadata: { name: 'a' }, spec: { text } }],
    },
  });

const always = (): boolean => true;

const threadOf = (body: string): number | undefined =>
  (JSON.parse(body) as Answered).response.convertedObjects[0]?.spec.thread;

describe('startConverter()', () => {
  it('startConverter() converts in another thread, and starts it again when a function ends it or needs too much memory', async () => {
    converter = startConverter([threaded], { log, entry });
    const { convert } = converter;
    const [first, ended, second, exhausted, third] = await Promise.all(
      ['a', 'exit', 'b', 'memory', 'c'].map(async (text) => convert(review(text), always)),
    );
    expect([ended?.status, exhausted?.status]).toEqual([500, 500]);
    expect(ended?.problem).toBe('the thread of conversions ended');
    const threads = [first, second, third].map((answer) => threadOf(answer?.body ?? ''));
    expect(new Set([threadId, ...threads]).size).toBe(4);
    expect(lines).toEqual([]);
  }, 30_000);

  it('startConverter() leaves out a review that is not wanted any more when its turn comes', async () => {
    converter = startConverter([threaded], { log, entry });
    const wanted: boolean[] = [];
    const isWanted = (): boolean => {
      wanted.push(false);
      return false;
    };
    const [first, left] = await Promise.all([
      converter.convert(review('a'), always),
      converter.convert(review('exit'), isWanted),
    ]);
    expect([first.status, left.status, wanted.length]).toEqual([200, 500, 1]);
    // The conversion 'exit' would have ended the thread.
    expect(threadOf((await converter.convert(review('b'), always)).body)).toBe(threadOf(first.body));
  }, 30_000);

  it('startConverter() starts no thread after it was closed', async () => {
    converter = startConverter([threaded], { log, entry });
    const ended = converter.convert(review('exit'), always);
    const next = converter.convert(review('a'), always);
    await ended;
    await converter.close();
    expect((await next).problem).toBe('the thread of conversions does not start');
  });

  it.each([
    { what: 'does not call run()', entry: nothing, reason: 'the thread of conversions ended' },
    {
      what: 'has a relative path',
      entry: 'operator.mjs',
      reason: expect.stringContaining('ERR_WORKER_PATH') as string,
    },
    {
      what: 'throws null',
      entry: new URL('data:text/javascript,throw null'),
      reason: expect.stringContaining('no error') as string,
    },
  ])('startConverter() converts in this thread when the entry point $what, and says so', async ({ entry, reason }) => {
    converter = startConverter([threaded], { log, entry });
    converter.useKey('key');
    expect(threadOf((await converter.convert(review('a'), always)).body)).toBe(threadId);
    expect(lines).toEqual([{ reason, advice: expect.stringContaining('entry') as string }]);
  });
});

describe('entryIn()', () => {
  const main = '/app/operator.mjs';
  const { href } = pathToFileURL(main);

  it.each([
    {
      what: 'the module that the process was started with',
      stack: `Error\n    at run (x.js:1:1)\n    at ${href}:9:7`,
      found: href,
    },
    {
      what: 'another module',
      stack: 'Error\n    at run (x.js:1:1)\n    at file:///app/other.mjs:9:7',
      found: undefined,
    },
    { what: 'a module whose name begins the same', stack: `Error\n    at ${href}x:9:7`, found: undefined },
  ])('entryIn() finds $found when $what calls run()', ({ stack, found }) => {
    expect(entryIn(stack, main)?.href).toBe(found);
    expect(entryIn(stack, undefined)).toBeUndefined();
  });
});
