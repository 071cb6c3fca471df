import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createInnerRelay, forward, relaySocket } from '#test/real-node/network/relay.ts';

it('forward() opens a port that leads to the address at the other end of the socket', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'relay-'));
  const server = createServer((request, response) => request.pipe(response)).listen(0, '127.0.0.1');
  const relay = createInnerRelay().listen(relaySocket(folder));
  await Promise.all([once(server, 'listening'), once(relay, 'listening')]);
  const { port, close } = await forward(folder, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    // A body of many packets, sent in both directions.
    const body = 'x'.repeat(1_000_000);
    const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body });
    expect(await response.text()).toBe(body);
  } finally {
    close();
    relay.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
});
