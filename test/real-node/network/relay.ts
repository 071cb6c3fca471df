import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/**
 * The socket that joins the network of a node with the network of the machine. The socket is in the file system, so the machine
 * gets no interface, route or rule.
 */
export const relaySocket = (folder: string): string => join(folder, 'relay.sock');

/** A side that has ended still receives. */
const OPTIONS = { allowHalfOpen: true } as const;

/** Data that one side has sent before its end must still reach the other side, so only an error destroys the sockets. */
const joinSockets = (one: Socket, other: Socket): void => {
  one.pipe(other).pipe(one);
  for (const [socket, peer] of [
    [one, other],
    [other, one],
  ] as const)
    socket.on('error', () => peer.destroy()).on('close', () => peer.end());
};

/**
 * The end inside of the node. The first line of a connection is the address that it must be joined with, such as
 * `10.0.0.1:443`.
 */
export const createInnerRelay = (): Server =>
  createServer(OPTIONS, (socket) => {
    socket.once('readable', () => {
      const head: Buffer = socket.read() ?? Buffer.alloc(0);
      const end = head.indexOf('\n');
      const [host = '', port = ''] = head.subarray(0, end).toString().split(':');
      socket.unshift(head.subarray(end + 1));
      joinSockets(socket, connect({ ...OPTIONS, host, port: Number(port) }));
    });
  });

/** A port of 127.0.0.1 that leads to an address in the network of a node. */
export interface Forward {
  readonly port: number;
  readonly close: () => void;
}

/**
 * Opens a port of 127.0.0.1 that leads to an address in the network of a node.
 *
 * @param address - host and port, such as `10.0.0.1:443`
 */
export const forward = async (folder: string, address: string): Promise<Forward> => {
  const sockets = new Set<Socket>();
  const server = createServer(OPTIONS, (socket) => {
    const inner = connect({ ...OPTIONS, path: relaySocket(folder) });
    inner.write(`${address}\n`);
    joinSockets(socket, inner);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Without this, a script that does not stop its node would not end.
  server.unref();
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, close };
};
