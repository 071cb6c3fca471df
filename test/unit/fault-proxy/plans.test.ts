import { assert, constantFrom, integer, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Call } from '#test/fault-proxy/call.ts';
import type { Fault } from '#test/fault-proxy/fault.ts';
import { combined, replayed, scripted, seeded } from '#test/fault-proxy/plans.ts';

const call = (more: Partial<Call> = {}): Call => ({
  seq: 1,
  atMs: 0,
  verb: 'create',
  resource: 'pods',
  group: '',
  namespace: 'a',
  name: '',
  nth: 1,
  ...more,
});

const drop = { fault: 'dropBefore' } as const;
const lose = { fault: 'dropAfter' } as const;

describe('scripted()', () => {
  it('hits just the nth of the requests that its trigger matches', () => {
    const plan = scripted([{ on: { verb: 'create', resource: 'pods', nth: 2 }, do: drop }]);
    const requests = [call(), call({ verb: 'get' }), call({ resource: 'podsets' }), call(), call()];
    expect(requests.map(plan)).toEqual([undefined, undefined, undefined, drop, undefined]);
  });

  it('stops after so many times', () => {
    const plan = scripted([{ on: { verb: 'mutating' }, do: drop, times: 2 }]);
    expect([call(), call({ verb: 'list' }), call(), call()].map(plan)).toEqual([drop, undefined, drop, undefined]);
  });

  it('asks the first rule that matches, and counts for all', () => {
    const plan = scripted([
      { on: { nth: 1 }, do: drop },
      { on: { verb: 'create', nth: 2 }, do: lose },
    ]);
    expect([call(), call(), call()].map(plan)).toEqual([drop, lose, undefined]);
  });

  it('looks at namespace, name and time', () => {
    const plan = scripted([{ on: { namespace: 'a', name: /^web/, fromMs: 10, untilMs: 20 }, do: drop }]);
    const hit = call({ name: 'web-1', atMs: 15 });
    expect(plan(hit)).toEqual(drop);
    for (const other of [{ namespace: 'b' }, { name: 'db' }, { atMs: 9 }, { atMs: 21 }]) {
      expect(plan({ ...hit, ...other })).toBeUndefined();
    }
  });
});

const suitable = (verb: string): readonly string[] => {
  if (verb === 'watch') return ['dropBefore', 'cutStream', 'staleList'];
  return ['dropBefore', 'dropAfter', ...(verb === 'list' ? ['staleList'] : [])];
};

describe('seeded()', () => {
  const faults: readonly Fault[] = [drop, lose, { fault: 'cutStream' }, { fault: 'staleList', back: 1 }];
  const calls = record({
    verb: constantFrom('get', 'list', 'watch', 'create', 'patch', 'delete'),
    resource: constantFrom('pods', 'podsets', 'podsets/status'),
    nth: integer({ min: 1, max: 50 }),
    seq: integer({ min: 1, max: 500 }),
  });

  it('gives the same request the same fault whenever it arrives, and only what suits it', () => {
    assert(
      property(integer(), calls, nat(), (seed, asked, later) => {
        const fault = seeded({ seed, chance: 0.7, faults })(call(asked));
        const again = { ...asked, seq: asked.seq + later };
        expect(seeded({ seed, chance: 0.7, faults })(call(again))).toEqual(fault);
        expect([undefined, ...suitable(asked.verb)]).toContain(fault?.fault);
      }),
    );
  });

  it('hits as often as its chance says', () => {
    const plan = seeded({ seed: 7, chance: 0.25, faults });
    const hits = Array.from({ length: 4000 }, (_, nth) => plan(call({ nth }))).filter(Boolean);
    expect(hits.length / 4000).toBeCloseTo(0.25, 1);
  });
});

describe('replayed()', () => {
  it('does the same to the same requests when they come in another order, from a record that went through JSON', () => {
    const plan = seeded({ seed: 3, chance: 0.5, faults: [drop, lose] });
    const asked = Array.from({ length: 30 }, (_, nth) => [call({ nth }), call({ verb: 'delete', nth })]).flat();
    const decisions = asked.map((one) => {
      const fault = plan(one);
      return { call: one, ...(fault && { fault }) };
    });
    const again = replayed(JSON.parse(JSON.stringify(decisions)) as typeof decisions);
    expect(asked.toReversed().map(again)).toEqual(asked.toReversed().map(plan));
  });
});

describe('combined()', () => {
  it('lets the first plan decide that has something to say, and shows every plan every request', () => {
    const plan = combined(scripted([{ on: { nth: 2 }, do: drop }]), scripted([{ on: { nth: 3 }, do: lose }]));
    expect([call(), call(), call()].map(plan)).toEqual([undefined, drop, lose]);
  });
});
