import { describe, expect, it } from 'vitest';
import { apply } from '#lib/desired/result/intent.ts';
import { limits } from '#lib/desired/result/limits.ts';
import { resultIssues } from '#lib/desired/result/result-check.ts';
import { ready } from '#lib/desired/result/state.ts';

const CHILDREN = 10_000;
const LARGE = 30_000;

const resultOf = (dataOf: (index: number) => object, children = CHILDREN) => ({
  children: Array.from({ length: children }, (_, index) =>
    apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c-${index}` }, data: dataOf(index) }),
  ),
  status: {},
  state: ready('Fine', 'all is well'),
});

const manyMembers = (): object =>
  Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, 'x'.repeat(100)]));

/** A value with so many objects below it. */
const nested = (levels: number): object => (levels === 0 ? { text: 'x'.repeat(2000) } : { below: nested(levels - 1) });

describe('resultIssues() of a large result', () => {
  it('resultIssues() refuses objects that take too much memory together', () => {
    const issues = resultIssues(resultOf((index) => ({ text: `${index} ${'x'.repeat(LARGE)}` })));
    expect(issues).toEqual([
      {
        path: 'children',
        rule: 'limits',
        message:
          'must not take more than 64 MiB of memory together: return fewer or smaller objects, or let them share their large parts',
        value: expect.stringMatching(/^more, up to children\[2\d{3}\]$/) as string,
      },
    ]);
  });

  it('resultIssues() refuses many small values as it does long texts', () => {
    expect(resultIssues(resultOf(manyMembers, 1200)).map(({ path }) => path)).toEqual(['children']);
  });

  it('resultIssues() counts a part that objects share once, and looks into it once', () => {
    let looks = 0;
    const shared = {
      text: 'x'.repeat(LARGE),
      get other() {
        looks += 1;
        return '';
      },
    };
    expect(resultIssues(resultOf(() => ({ shared })))).toEqual([]);
    expect(looks).toBe(1);
  });

  it('resultIssues() counts a text that objects share once', () => {
    const text = 'x'.repeat(LARGE);
    expect(resultIssues(resultOf((index) => ({ text, index })))).toEqual([]);
  });

  it('resultIssues() finds that a shared part is too deep at one place and not at another', () => {
    const part = nested(40);
    const children = [{ part }, { a: { b: { c: nested(limits.depth - 40) } } }, { part }];
    expect(resultIssues(resultOf((index) => children[index] ?? {}, 3))).toEqual([]);
    let deep: object = part;
    for (let level = 0; level < limits.depth - 42; level += 1) deep = { deep };
    const issues = resultIssues(resultOf((index) => (index === 0 ? { part } : { deep }), 2));
    expect(issues.map(({ path, message }) => [path.slice(0, 11), message.slice(0, 18)])).toEqual([
      ['children[1]', 'must not be deeper'],
    ]);
  });

  it.each([
    { what: 'control characters', part: '\u0001'.repeat(limits.objectBytes / 5) },
    { what: 'long numbers', part: Array.from({ length: limits.objectBytes / 20 }, () => -Math.PI * 1e-300) },
  ])('resultIssues() finds that an object is too large as JSON because of $what', ({ part }) => {
    expect(resultIssues(resultOf(() => ({ part }), 1))).toMatchObject([
      { path: 'children[0].object', message: expect.stringContaining('must not be larger') as string },
    ]);
  });

  it('resultIssues() finds that a shared part makes one object too large and not another', () => {
    const part = { text: 'x'.repeat(limits.objectBytes / 2) };
    const issues = resultIssues(resultOf((index) => (index === 0 ? { part } : { part, again: part }), 2));
    expect(issues.map(({ path, message }) => [path, message.slice(0, 18)])).toEqual([
      ['children[1].object', 'must not be larger'],
    ]);
  });
});
