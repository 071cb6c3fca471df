import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { requestLines } from '#apps/demo/lines.ts';
import { createScreen, type DemoScreen } from '#apps/demo/screen.ts';

let now = 0;
let pauses: number[] = [];
beforeEach(() => {
  pauses = [];
  // A machine of continuous integration has no terminal with a viewer.
  vi.stubEnv('CI', undefined);
});
afterEach(() => vi.unstubAllEnvs());

const pause = async (ms: number): Promise<void> => void pauses.push(ms);

/** The output of a story in a terminal with this number of columns; in a pipe without it. */
const seen = async (tell: (screen: DemoScreen) => Promise<void> | void, columns?: number): Promise<string> => {
  let written = '';
  now = 0;
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      written += chunk.toString();
      done();
    },
  });
  const stream = Object.assign(sink, { isTTY: columns !== undefined, columns }) as unknown as NodeJS.WriteStream;
  await tell(createScreen(stream, { elapsed: () => now, pause }));
  return written;
};

const LONG = 'Pod web: 4 of 4 pods of version 64d7jxnlzs are available, and the rest is going';

const tell = (screen: DemoScreen): void => {
  screen.event('+', 'one');
  screen.event('~', 'two');
  now = 100;
  screen.event('~', 'three');
  screen.command('four');
  screen.event('-', 'five');
};

describe('createScreen()', () => {
  it.each([40, 80, 120])('createScreen() breaks lines between words in a terminal of %i columns', async (columns) => {
    const text = stripVTControlCharacters(
      await seen((screen) => {
        screen.title(`${LONG}. ${LONG}`);
        screen.command(`kubectl ${LONG}`);
        screen.event('~', LONG);
        screen.text(LONG);
      }, columns),
    );
    expect(text.split('\n').filter((line) => line.length > columns)).toEqual([]);
    const words = text.split(/\s+/);
    for (const word of LONG.split(' ')) expect(words.filter((each) => each.startsWith(word)).length).toBeGreaterThan(3);
  });

  it('createScreen() announces a phase in one row, so that its result can take the place', async () => {
    const text = await seen((screen) => screen.phase(`${LONG}, and going`, async () => undefined), 40);
    const [announced = ''] = text.split('\r\u001B[K');
    expect(stripVTControlCharacters(announced)).toMatch(/^ {3}0\.0 s {2}Pod web: .*…$/);
    expect(stripVTControlCharacters(announced).length).toBeLessThan(40);
  });

  it('createScreen() shows a moment once in a terminal, and in every line of a pipe', async () => {
    expect(stripVTControlCharacters(await seen(tell, 80))).toBe(
      '   0.0 s    + one\n            ~ two\n   0.1 s    ~ three\n\n   0.1 s  $ four\n            - five\n',
    );
    expect(stripVTControlCharacters(await seen(tell))).toBe(
      '   0.0 s    + one\n   0.0 s    ~ two\n   0.1 s    ~ three\n\n   0.1 s  $ four\n   0.1 s    - five\n',
    );
  });

  it('createScreen() pauses on a terminal, and nowhere else', async () => {
    await seen((screen) => screen.beat(), 80);
    expect(pauses).toEqual([1000]);
    await seen((screen) => screen.beat());
    vi.stubEnv('CI', 'true');
    await seen((screen) => screen.beat(), 80);
    expect(pauses).toEqual([1000]);
  });

  it('createScreen() leaves lines of a pipe whole', async () => {
    expect(await seen((screen) => screen.event('~', `${LONG}. ${LONG}`))).toContain(`~ ${LONG}. ${LONG}\n`);
  });
});

describe('requestLines()', () => {
  it('requestLines() counts what is forbidden, and has a line for each verb, the most frequent first, without groups', () => {
    const sent = [
      ['watch', 'pods'],
      ['watch', 'deployments.apps'],
      ['patch', 'podsets.app.example.com/status'],
      ['create', 'pods'],
      ['patch', 'podsets.app.example.com/status'],
      ['patch', 'events.events.k8s.io'],
    ].map(([verb = '', resource = '']) => ({ verb, resource, code: resource === 'pods' ? 403 : 200 }));
    expect(requestLines(sent)).toEqual([
      '6 requests, 2 of them forbidden:',
      '3 × patch: 2 podsets/status, events',
      '2 × watch: deployments, pods',
      '1 × create: pods',
    ]);
  });
});
