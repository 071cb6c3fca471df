import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { streamWatch } from '#lib/apiserver/http/response/watch-stream.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { JsonObject } from '#lib/json.ts';
import { objectIn, ServerBench } from '../support/server-bench.ts';

const MANY = 360;
/** Data of each object: a few such objects exceed the limit of unread data. */
const note = 'x'.repeat(100 * 1024);

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const show = (object: JsonObject): JsonObject => object;

/** A watch of all objects of a bench, with both of its ends. */
const openWatch = async (
  bench: ServerBench,
): Promise<{ readonly sent: ServerResponse; readonly received: IncomingMessage }> => {
  const request = { resource: bench.resource };
  let sent: ServerResponse | undefined;
  const server = createServer((_, response) => {
    sent = response;
    const options = { server: bench.server, request, response, mediaType: 'application/json', show };
    streamWatch(options, () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = get({ host: '127.0.0.1', port, agent: false });
  closers.push(() => {
    asked.destroy();
    server.closeAllConnections();
    server.close();
  });
  const [received] = (await once(asked, 'response')) as [IncomingMessage];
  received.on('error', () => {});
  if (sent === undefined) throw new Error('nobody answered');
  return { sent, received };
};

const name = (i: number): string => `a-${String(i).padStart(3, '0')}`;

const fill = (bench: ServerBench, from: number): void => {
  for (let i = from; i < from + MANY; i++)
    objectIn(bench.create('', {}, { body: bench.body(name(i), {}, { spec: { size: 1, note } }) }));
};

const briefly = (line: string): string => {
  const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: ServerObject };
  return `${type} ${object.metadata.name}`;
};

describe('streamWatch()', () => {
  it('begins with more than may wait unread, and sends what happens meanwhile afterwards', async () => {
    const bench = new ServerBench();
    fill(bench, 0);
    const { received } = await openWatch(bench);
    objectIn(bench.merge(name(0), { spec: { size: 2 } }));
    const seen: string[] = [];
    let rest = '';
    for await (const chunk of received.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) seen.push(briefly(line));
      if (seen.at(-1)?.startsWith('MODIFIED')) break;
    }
    const all = Array.from({ length: MANY }, (_, i) => `ADDED ${name(i)}`);
    expect(seen).toEqual([...all, `MODIFIED ${name(0)}`]);
  });

  it.each([
    ['while it begins', MANY],
    ['after it has begun', 0],
  ])('ends when too much that happens %s is not read', async (_, before) => {
    const bench = new ServerBench();
    if (before > 0) fill(bench, 0);
    const { sent } = await openWatch(bench);
    expect(sent.destroyed).toBe(false);
    fill(bench, MANY);
    expect(sent.destroyed).toBe(true);
  });
});
