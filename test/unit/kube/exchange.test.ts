import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { exchange } from '#lib/kube/transport/exchange.ts';
import { startHttpServer } from './http-server.ts';

const BYTES = 2_000_000;

/** Works for longer than a stream may work in one turn of the event loop. */
const work = (): void => {
  const end = performance.now() + 10;
  while (performance.now() < end);
};

it('exchange() gives other callbacks a turn between the pieces of a response that need much work', async () => {
  const server = await startHttpServer((_, response) => response.end(Buffer.alloc(BYTES)));
  const pool = new Pool(server.url);
  const seen: string[] = [];
  let bytes = 0;
  const onChunk = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    seen.push('piece');
    setImmediate(() => void seen.push('other'));
    work();
  };
  const options = { what: 'watch pods', signal: new AbortController().signal, onChunk };
  const { status } = await exchange(pool, { method: 'GET', path: '/' }, options);
  await pool.close();
  await server.close();
  expect({ status, bytes }).toEqual({ status: 200, bytes: BYTES });
  // A turn begins after its first piece, so a second piece may come in the same turn.
  expect(seen.join()).not.toContain('piece,piece,piece');
  expect(seen.filter((one) => one === 'piece').length).toBeGreaterThan(3);
});

it('exchange() ends a paused response when it is aborted', async () => {
  const server = await startHttpServer((_, response) => void response.write(Buffer.alloc(BYTES)));
  const pool = new Pool(server.url);
  const stop = new AbortController();
  const onChunk = (): void => {
    work();
    setImmediate(() => stop.abort(new Error('enough')));
  };
  const options = { what: 'watch pods', signal: stop.signal, onChunk };
  await expect(exchange(pool, { method: 'GET', path: '/' }, options)).rejects.toThrow('enough');
  await pool.close();
  await server.close();
});
