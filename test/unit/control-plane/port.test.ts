import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { chooseFreePorts, LISTENING_PORTS } from '#test/control-plane/port.ts';

const portRange = '/proc/sys/net/ipv4/ip_local_port_range';

describe('chooseFreePorts()', () => {
  it('gives different ports', async () => {
    expect(new Set(await chooseFreePorts(50)).size).toBe(50);
  });

  it.runIf(existsSync(portRange))('gives no port that the kernel may give to an outgoing connection', async () => {
    const [firstOutgoing = 0] = readFileSync(portRange, 'utf8').trim().split(/\s+/).map(Number);
    for (const port of await chooseFreePorts(50)) expect(port).toBeLessThan(firstOutgoing);
  });

  it('gives ports that a server can use', async () => {
    const [port = 0] = await chooseFreePorts(1);
    expect(port).toBeGreaterThanOrEqual(LISTENING_PORTS.first);
    const server = createServer();
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
    server.close();
  });
});
