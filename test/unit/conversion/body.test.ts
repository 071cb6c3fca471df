import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Bodies, type Body, type BodyRefusal } from '#lib/conversion/webhook/body.ts';

const MIB = 1024 * 1024;

class FakeResponse extends EventEmitter {
  closed = false;

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

/** A complete request of this many bytes. */
const sent = async (bodies: Bodies, bytes: number) => {
  const request = Object.assign(new PassThrough(), { headers: {} });
  const response = new FakeResponse();
  const reading = bodies.read(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  request.end(`"${'x'.repeat(bytes)}"`);
  return { response, body: await reading };
};

/** A request in progress. */
const opened = (bodies: Bodies) => {
  const request = Object.assign(new PassThrough(), { headers: {} });
  const response = new FakeResponse() as unknown as ServerResponse;
  const reading = bodies.read(request as unknown as IncomingMessage, response);
  const write = async (bytes: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    request.write('x'.repeat(bytes), () => resolve());
    await promise;
  };
  return { request, reading, write };
};

const usable = (body: Body | BodyRefusal): Body => {
  if ('status' in body) throw new Error(`refused with ${body.status}`);
  return body;
};

describe('Bodies', () => {
  it('Bodies counts a body whose sender has gone until nothing works with it any more', async () => {
    const bodies = new Bodies();
    const gone = await sent(bodies, 10 * MIB);
    gone.response.close();
    expect((await sent(bodies, 10 * MIB)).body).toMatchObject({ status: 503 });
    usable(gone.body).done();
    expect(usable((await sent(bodies, 10 * MIB)).body).text).toHaveLength(10 * MIB + 2);
  });

  it('Bodies counts a body that was answered until its sender has taken the answer', async () => {
    const bodies = new Bodies();
    const slow = await sent(bodies, 10 * MIB);
    usable(slow.body).done();
    expect((await sent(bodies, 10 * MIB)).body).toMatchObject({ status: 503 });
    slow.response.close();
    usable((await sent(bodies, 10 * MIB)).body);
  });

  it('Bodies refuses one that arrives slowly when others need its room, and no other', async () => {
    let now = 0;
    const bodies = new Bodies(() => now);
    const [held, fresh] = [opened(bodies), opened(bodies)];
    await held.write(15 * MIB);
    expect((await sent(bodies, 3 * MIB)).body).toMatchObject({ status: 503 });
    now = 3000;
    const late = opened(bodies);
    await late.write(MIB / 2);
    expect(usable((await sent(bodies, 3 * MIB)).body).text).toHaveLength(3 * MIB + 2);
    expect(await held.reading).toMatchObject({ status: 503 });
    fresh.request.end('""');
    late.request.end('"');
    expect(usable(await fresh.reading).text).toBe('""');
    expect(usable(await late.reading).text).toHaveLength(MIB / 2 + 1);
  });

  it('Bodies refuses what is too large alone at the expense of no other', async () => {
    let now = 0;
    const bodies = new Bodies(() => now);
    const slow = opened(bodies);
    await slow.write(MIB);
    now = 3000;
    const large = opened(bodies);
    await large.write(17 * MIB);
    expect(await large.reading).toMatchObject({ status: 413 });
    slow.request.end('"');
    expect(usable(await slow.reading).text).toHaveLength(MIB + 1);
  });
});
