import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { LiveStreams, MAX_UNSENT } from '#lib/cli/verbs/dev/ui/live-stream.ts';
import type { LiveHistoryRun } from '#lib/foresight/page/live/stream-message.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { waitFor } from '#test/control-plane/poll.ts';

const runOf = (size: number): LiveHistoryRun => ({
  verb: 'dev',
  title: 'The live cluster',
  startedAt: 0,
  merges: 0,
  facts: [],
  notes: ['x'.repeat(size)],
  durationMs: 1,
  objects: [],
  events: [],
});

let server: Server;

/** Opens a stream of a history. @param beats - gets the callbacks of the timers */
const connected = async (history: () => LiveHistoryRun, beats: (() => void)[] = []): Promise<IncomingMessage> => {
  const setTimer = (_: number, beat: () => void): (() => void) => (beats.push(beat), () => undefined);
  const streams = new LiveStreams({ run: history, steered: () => [], timers: { ...systemTimers, setTimer } });
  server = createServer((_, response) => streams.connect(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
};

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe('LiveStreams', () => {
  it('sends a first history of any size', async () => {
    const response = await connected(() => runOf(MAX_UNSENT + 1));
    let length = 0;
    response.on('data', (chunk: Buffer) => (length += chunk.length));
    response.on('error', () => undefined);
    await waitFor('the whole history', async () => length > MAX_UNSENT || response.destroyed);
    expect(response.destroyed).toBe(false);
  });

  it('ends the connection of a page that does not read', async () => {
    const beats: (() => void)[] = [];
    let startedAt = 0;
    const response = await connected(() => ({ ...runOf(MAX_UNSENT), startedAt: (startedAt += 1) }), beats);
    response.on('error', () => undefined);
    await waitFor('the end', async () => {
      for (const beat of beats.splice(0)) beat();
      return (await new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))) === 0;
    });
    expect(startedAt).toBeGreaterThan(1);
  });
});
