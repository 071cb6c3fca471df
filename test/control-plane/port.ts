import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Ports that the kernel gives to no outgoing connection: Linux takes those from 32768 up
 * (ip(7), ip_local_port_range), macOS from 49152. A client that dials a stopped server could
 * otherwise occupy the port of that server, and the server could not start again.
 */
export const LISTENING_PORTS = { first: 10_000, last: 32_767 } as const;

/**
 * Chooses free TCP ports of 127.0.0.1, all of them different. Caveat: another process may take a port before the caller uses
 * it; the caller has to try again then.
 */
export async function chooseFreePorts(count: number): Promise<readonly number[]> {
  const held: Held[] = [];
  try {
    while (held.length < count) {
      const port = randomInt(LISTENING_PORTS.first, LISTENING_PORTS.last + 1);
      const server = await tryListen(port);
      if (server !== undefined) held.push({ port, server });
    }
    return held.map(({ port }) => port);
  } finally {
    await Promise.all(held.map(({ server }) => close(server)));
  }
}

interface Held {
  readonly port: number;
  readonly server: Server;
}

/** Undefined when the port is taken. */
async function tryListen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
