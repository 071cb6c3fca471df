import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeSlots, labelValueOf, ownerLabels, selectorString } from '#lib/desired/marks/names.ts';

const set = { name: 'web', uid: '6f1c2a7e-0000-4000-8000-000000000001' };
const none: ReadonlySet<string> = new Set();

/** The names of the lowest slots, lowest first. */
const slots = (count: number): string[] => freeSlots(count, { ...set, taken: none });

/** Some of the first forty slots, as names of observed pods. */
const someSlots = fc.subarray(slots(40)).map((names) => new Set(names));
const counts = fc.integer({ min: 0, max: 30 });

describe('freeSlots()', () => {
  it('freeSlots() gives as many distinct names as wanted, none of them taken', () => {
    fc.assert(
      fc.property(counts, someSlots, (count, taken) => {
        const names = freeSlots(count, { ...set, taken });
        expect(new Set(names).size).toBe(count);
        expect(names.filter((name) => taken.has(name))).toEqual([]);
      }),
    );
  });

  it('freeSlots() gives names that are DNS labels and start with the parent’s', () => {
    for (const name of freeSlots(200, { ...set, taken: none })) expect(name).toMatch(/^web-[a-z0-9]{5}$/);
  });

  it('freeSlots() gives 10,000 names although some of their hashes collide', () => {
    expect(new Set(freeSlots(10_000, { ...set, taken: none })).size).toBe(10_000);
  });

  it('freeSlots() takes the lowest slots that are free', () => {
    fc.assert(
      fc.property(counts, someSlots, (count, taken) => {
        const lowest = slots(80).filter((name) => !taken.has(name));
        expect(freeSlots(count, { ...set, taken })).toEqual(lowest.slice(0, count));
      }),
    );
  });

  it('freeSlots() gives the same names when it is asked again, whatever the order in which the others were observed', () => {
    fc.assert(
      fc.property(counts, someSlots, (count, taken) => {
        const reordered = new Set([...taken].toReversed());
        expect(freeSlots(count, { ...set, taken: reordered })).toEqual(freeSlots(count, { ...set, taken }));
      }),
    );
  });

  it('freeSlots() asks for no name beyond the first ones when some of these are observed only later', () => {
    fc.assert(
      fc.property(counts, someSlots, fc.nat(), (count, taken, some) => {
        const first = freeSlots(count, { ...set, taken });
        const created = first.slice(0, some % (count + 1));
        const rest = freeSlots(count - created.length, { ...set, taken: new Set([...taken, ...created]) });
        expect([...created, ...rest].toSorted()).toEqual(first.toSorted());
      }),
    );
  });

  it('freeSlots() gives a slot again when its pod is gone', () => {
    const [first = '', second = ''] = slots(2);
    expect(freeSlots(1, { ...set, taken: new Set([second]) })).toEqual([first]);
  });

  it('freeSlots() gives other names when the parent was created anew under the same name', () => {
    const later = freeSlots(50, { name: 'web', uid: '6f1c2a7e-0000-4000-8000-000000000002', taken: none });
    expect(later.filter((name) => slots(50).includes(name))).toEqual([]);
  });

  it('freeSlots() is not led astray by names that are no slots', () => {
    const strangers = new Set(['web-0', 'web', 'other-x7k2p']);
    expect(freeSlots(3, { ...set, taken: strangers })).toEqual(slots(3));
  });
});

/** Valid names of objects: DNS subdomains. */
const objectNames = fc.stringMatching(
  /^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?){0,4}$/,
);

describe('labelValueOf()', () => {
  it('labelValueOf() gives a valid label value of at most 63 characters', () => {
    fc.assert(
      fc.property(objectNames, (name) => {
        const value = labelValueOf(name);
        expect(value.length).toBeLessThanOrEqual(63);
        expect(value).toMatch(/^[a-z0-9]([-a-z0-9_.]*[a-z0-9])?$/);
      }),
    );
  });

  it.each([
    { name: 'a', value: 'a', reason: 'it is short' },
    { name: 'a'.repeat(63), value: 'a'.repeat(63), reason: 'it fits exactly' },
    { name: 'a.b-c', value: 'a.b-c', reason: 'dots are valid in a label value' },
  ])('labelValueOf() keeps a name when $reason', ({ name, value }) => {
    expect(labelValueOf(name)).toBe(value);
  });

  it('labelValueOf() keeps 52 characters and adds a hash of 10 when a name has 64', () => {
    expect(labelValueOf('a'.repeat(64))).toMatch(/^a{52}-[a-z0-9]{10}$/);
  });

  it('labelValueOf() leaves no dot or dash before the hash when the cut falls behind one', () => {
    expect(labelValueOf(`${'a'.repeat(50)}.-${'b'.repeat(30)}`)).toMatch(/^a{50}-[a-z0-9]{10}$/);
  });

  it('labelValueOf() distinguishes names when they differ in their last character only', () => {
    const heads = fc.stringMatching(/^[a-z][a-z0-9]{62,100}$/);
    fc.assert(
      fc.property(heads, (head) => {
        expect(labelValueOf(`${head}a`)).not.toBe(labelValueOf(`${head}b`));
      }),
    );
  });
});

describe('ownerLabels()', () => {
  it('ownerLabels() is one label of the kind’s own group', () => {
    expect(ownerLabels({ group: 'app.example.com', kind: 'PodSet' }, 'web')).toEqual({
      'app.example.com/podset': 'web',
    });
  });

  it('ownerLabels() shortens the value when the name is too long for a label', () => {
    const [value = ''] = Object.values(ownerLabels({ group: 'app.example.com', kind: 'PodSet' }, 'a'.repeat(253)));
    expect(value).toHaveLength(63);
  });
});

describe('selectorString()', () => {
  it.each([
    { labels: {}, text: '', reason: 'there are no labels' },
    { labels: { a: '1' }, text: 'a=1', reason: 'there is one label' },
    { labels: { b: '2', a: '1' }, text: 'a=1,b=2', reason: 'labels are sorted' },
    { labels: { 'x.io/a': '' }, text: 'x.io/a=', reason: 'a value may be empty' },
  ])('selectorString() writes "$text" because $reason', ({ labels, text }) => {
    expect(selectorString(labels)).toBe(text);
  });
});
