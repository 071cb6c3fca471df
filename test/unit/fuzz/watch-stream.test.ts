import type { ServerResponse } from 'node:http';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isReconcileError } from '#lib/errors.ts';
import { startReflector } from '#lib/kube/reflector/reflector.ts';
import { WatchLists } from '#lib/kube/reflector/watch-list.ts';
import { runs } from '#test/properties.ts';
import { pods, setUp } from '#test/unit/kube/client-fixture.ts';
import { sendJson } from '#test/unit/kube/http-server.ts';
import { manualTimers, settle } from '#test/unit/kube/manual-timers.ts';
import { storeOf } from '#test/unit/kube/reflector-fixture.ts';
import { damagedBytes } from './damaged-text.ts';

/** Greater than any version that damage to a stream can make. */
const LAST = '9'.repeat(60);

const pod = (name: string, resourceVersion: string, text = 'é👩‍🚀日本\\"') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-${name}`,
    resourceVersion,
    labels: { app: name },
    annotations: { text },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u', controller: true }],
  },
});

const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

const events = [
  line('ADDED', pod('a', '11')),
  line('MODIFIED', pod('a', '12')),
  line('ADDED', pod('b', '13')),
  line('BOOKMARK', { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '14' } }),
  line('DELETED', pod('b', '15')),
  line('ADDED', pod('c', '16')),
].join('');

const final = pod('final', LAST);

/** Ends of a stream: complete, or broken off by the connection. */
type End = 'complete' | 'broken';

const follow = async (pieces: readonly Uint8Array[], end: End) => {
  let watches = 0;
  const onWatch = async (response: ServerResponse): Promise<void> => {
    response.writeHead(200);
    watches += 1;
    if (watches > 1) {
      response.write(line('ADDED', final));
      return;
    }
    // One write for each piece, so that the client receives the pieces one by one.
    for (const piece of pieces) await new Promise<void>((resolve) => response.write(piece, () => resolve()));
    if (end === 'broken') response.destroy();
    else response.end();
  };
  const { client } = await setUp(({ url }, response) => {
    if (url.searchParams.has('watch')) void onWatch(response);
    else {
      const items = watches === 0 ? [] : [final];
      const metadata = { resourceVersion: watches === 0 ? '10' : LAST };
      sendJson(response, { kind: 'PodList', apiVersion: 'v1', metadata, items });
    }
  });
  const timers = manualTimers();
  const store = storeOf();
  const complaints: unknown[] = [];
  const reflector = startReflector({
    api: client,
    resource: pods,
    sink: store,
    timers,
    random: () => 0,
    watchLists: new WatchLists({ isOff: true }),
    onError: (error) => complaints.push(error),
    onRefused: (error) => complaints.push(error),
  });
  while (!store.names().includes(`final@${LAST}`)) {
    await new Promise((resolve) => setImmediate(resolve));
    await timers.advance(1000);
  }
  await settle();
  await reflector.stop();
  await client.close();
  return { store, complaints };
};

const cut = (bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] => {
  const edges = [...new Set([0, ...cuts.map((one) => one % (bytes.length + 1)), bytes.length])].toSorted(
    (a, b) => a - b,
  );
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
};

describe('a watch', () => {
  it('a watch gives the same events when its bytes arrive in any pieces', async () => {
    const whole = Buffer.from(events);
    const everyByte = [...whole.keys()];
    const property = fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 30 }), async (cuts) => {
      const { store, complaints } = await follow(cut(whole, cuts), 'complete');
      expect(store.seen.slice(0, 7)).toEqual([
        'replace 10',
        'ADDED',
        'MODIFIED',
        'ADDED',
        'BOOKMARK',
        'DELETED',
        'ADDED',
      ]);
      expect(store.names()).toEqual(['a@12', 'c@16', `final@${LAST}`]);
      expect(complaints).toEqual([]);
    });
    await fc.assert(property, { numRuns: runs(4), examples: [[everyByte]] });
  });

  it('a watch with damaged bytes is reported in one short line each, and the reflector continues', async () => {
    let reported = 0;
    const streams = fc.tuple(damagedBytes(Buffer.from(events)), fc.array(fc.nat(3000), { maxLength: 5 }));
    const property = fc.asyncProperty(
      streams,
      fc.constantFrom<End>('complete', 'broken'),
      async ([bytes, cuts], end) => {
        const { complaints } = await follow(cut(bytes, cuts), end);
        reported += complaints.length;
        for (const complaint of complaints) {
          expect(complaint).toSatisfy(isReconcileError);
          expect((complaint as Error).message).toMatch(/^.{10,400}$/);
        }
      },
    );
    await fc.assert(property, { numRuns: runs(15) });
    expect(reported).toBeGreaterThan(runs(15) / 4);
  });
});
