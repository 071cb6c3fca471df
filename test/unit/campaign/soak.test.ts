import { describe, expect, it } from 'vitest';
import type { SoakSample, SoakSegment } from '#test/campaign/soak/segment.ts';
import { soakChapter, soakPicture } from '#test/campaign/soak/table.ts';
import { exceededBounds, missingEdits } from '#test/cluster/soak/checks.ts';
import { disturbances, timetable } from '#test/cluster/soak/disturbances.ts';
import { createSoakDriver } from '#test/cluster/soak/driver.ts';
import { seriesOf, thinned } from '#test/cluster/soak/samples.ts';
import type { ControlPlaneClient } from '#test/control-plane/client.ts';
import { createRandom } from '#test/differential/random.ts';

const sample: SoakSample = { seconds: 60, rssMiB: 150, heapMiB: 40, handles: 30, watches: 9, queue: 0, objects: 1000 };

const namesOf = (seed: number) => timetable(2, createRandom(seed)).map(({ disturbance }) => disturbance.name);

describe('timetable()', () => {
  it('timetable() has each disturbance in each round, in the order of time, and ends the leader once, early', () => {
    const appointments = timetable(4, createRandom(1));
    for (const disturbance of disturbances) {
      const times = appointments.filter((one) => one.disturbance === disturbance).map(({ at }) => at);
      expect([disturbance.name, times.length]).toEqual([disturbance.name, disturbance.endsLeader ? 1 : 4]);
    }
    const end = appointments.find(({ disturbance }) => disturbance.endsLeader);
    expect(end?.at).toBeLessThan(0.4);
    const all = appointments.map(({ at }) => at);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    expect(Math.max(...all)).toBeLessThan(1);
  });

  it('timetable() depends on the seed', () => {
    expect(namesOf(1)).toEqual(namesOf(1));
    expect(namesOf(1)).not.toEqual(namesOf(2));
  });
});

describe('exceededBounds()', () => {
  it.each([
    ['nothing', {}, []],
    ['a heap that grew with the objects', { heapMiB: 100, objects: 2000 }, []],
    ['a heap that grew', { heapMiB: 52.1 }, ['the heap has 52.1 MiB, expected at most 52.0']],
    ['handles', { handles: 39 }, ['39 handles are open, expected at most 38']],
    ['a queue', { queue: 1 }, ['1 resources are in the queue, expected none']],
  ])('exceededBounds() reports %s', (_, change, expected) => {
    expect(exceededBounds(sample, { ...sample, ...change })).toEqual(expected);
  });
});

it('missingEdits() reports a segment whose driver changed little', () => {
  expect(missingEdits(6000, 60)).toEqual([]);
  expect(missingEdits(5999, 60)).toEqual(['5999 edits were accepted, expected at least 6000']);
});

/** A driver whose edits or creates get a code. */
const driverWith = (refused: string, status: number, message = 'spec.replicas: Invalid value') => {
  const methods = new Set<string>();
  const request = async (method: string) => {
    methods.add(method);
    if (method === refused) return { status, body: { message } };
    return { status: method === 'POST' ? 201 : 200, body: { items: [] } };
  };
  // The driver uses no other member.
  const client = { request } as unknown as ControlPlaneClient;
  const driver = createSoakDriver(client, { count: 20, namespaces: ['soak-a'], random: createRandom(1) });
  return { driver, methods };
};

/** Accepted edits of a driver until it has sent the first one. */
const firstEdits = async ({ driver, methods }: ReturnType<typeof driverWith>) => {
  await driver.createAll();
  const stop = driver.keepChanging();
  await expect.poll(() => [...methods]).toContain('PATCH');
  await stop();
  return driver.edits();
};

describe('createSoakDriver()', () => {
  it('createSoakDriver() counts the edits that the API server accepts', async () => {
    expect(await firstEdits(driverWith('', 0))).toBeGreaterThan(0);
    expect(await firstEdits(driverWith('PATCH', 503))).toBe(0);
  });

  it.each([400, 422])('createSoakDriver() fails when the API server refuses an edit with %i', async (status) => {
    await expect(firstEdits(driverWith('PATCH', status))).rejects.toThrow(new RegExp(`Cannot edit .*: ${status} `));
  });

  it.each([400, 403, 409, 422])(
    'createSoakDriver() fails when the API server refuses a create with %i',
    async (code) => {
      await expect(driverWith('POST', code).driver.createAll()).rejects.toThrow(
        new RegExp(`Cannot create .*: ${code} `),
      );
    },
  );

  it('createSoakDriver() goes on when the API server starts', async () => {
    const { driver } = driverWith('POST', 403, 'podsets is forbidden: not yet ready to handle request');
    await expect(driver.createAll()).resolves.toBeUndefined();
  });
});

describe('the samples of a soak', () => {
  it('seriesOf() reads the series of one metric, with its labels', () => {
    const text = '# TYPE a8_b gauge\na8_b{resource="pods"} 3\na8_b 1e3\na8_bc 4\n';
    expect([...seriesOf(text, 'a8_b')]).toEqual([
      ['{resource="pods"}', 3],
      ['', 1000],
    ]);
  });

  it('thinned() keeps the first and the last item', () => {
    const items = Array.from({ length: 1000 }, (_, index) => index);
    const kept = thinned(items, 120);
    expect(kept).toHaveLength(120);
    expect([kept[0], kept.at(-1)]).toEqual([0, 999]);
  });
});

describe('the page of a soak', () => {
  const segment: SoakSegment = {
    segment: 2,
    minutes: 60.1,
    resources: 2000,
    requests: 12_345,
    disturbances: { 'etcd killed': 4, 'leader killed': 1 },
    ends: { SIGKILL: 5 },
    firstRest: sample,
    lastRest: { ...sample, heapMiB: 44 },
    drift: 0,
    writesAtRest: 0,
    samples: [sample, { ...sample, seconds: 3600 }],
    phases: [
      { name: 'creations', seconds: 0 },
      { name: 'leader killed', seconds: 600 },
    ],
    failures: [],
  };
  const result = {
    part: 'soak-2',
    commit: 'a',
    date: '',
    versions: { node: '', kubernetes: '' },
    done: 1,
    passed: 1,
    failed: [],
    minutes: 60,
    segments: [segment],
  };

  it('soakChapter() has a row and a picture for each segment, and is empty without segments', () => {
    const lines = soakChapter([result]);
    expect(lines).toContain(
      '| 2 | 60.1 | 2,000 → 1,000 | 12,345 | 5 | 5 SIGKILL | 40 → 44 | 150 → 150 | 30 → 30 | 9 → 9 | 0 | 0 | 0 |',
    );
    expect(lines.at(-1)).toBe('![Memory of the leader in segment 2](pictures/soak-2.svg)');
    expect(soakChapter([{ ...result, segments: [] }])).toEqual([]);
  });

  it('soakPicture() names the ends of the leader, and has a curve to the end', () => {
    const picture = soakPicture(segment);
    expect(picture).toContain('>killed<');
    expect(picture).not.toContain('creations');
    expect(picture).toContain('3600 s');
  });
});
