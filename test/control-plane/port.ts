import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/**
 * Chooses free TCP ports of 127.0.0.1. All are held until the last one is known, so that they differ.
 * Caveat: somebody else may take one before it is used; the caller has to try again then.
 */
export async function chooseFreePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    return await Promise.all(servers.map((server) => listen(server)));
  } finally {
    await Promise.all(servers.map((server) => close(server)));
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
