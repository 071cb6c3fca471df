import { describe, expect, it } from 'vitest';
import { ElementSteps } from '#lib/plan/fields/elements.ts';
import { OWNER } from '#lib/plan/fields/pin.ts';

const stepsOf = (steps: readonly string[], element: unknown): readonly string[] => {
  const tree = Object.fromEntries(steps.map((step) => [step, {}]));
  return new ElementSteps(tree).of(element, 'uid-1').map(({ step }) => step);
};

const cases: readonly {
  readonly steps: readonly string[];
  readonly element: unknown;
  readonly is: readonly string[];
}[] = [
  { steps: ['k:{"name":"a"}', 'k:{"name":"b"}'], element: { name: 'b', value: 'x' }, is: ['k:{"name":"b"}'] },
  { steps: ['k:{"name":"1"}', 'k:{"name":1}'], element: { name: 1 }, is: ['k:{"name":1}'] },
  { steps: ['k:{"port":80,"protocol":"TCP"}'], element: { port: 80 }, is: ['k:{"port":80,"protocol":"TCP"}'] },
  { steps: ['k:{"port":80,"protocol":"UDP"}'], element: { port: 80 }, is: [] },
  { steps: ['k:{"name":"a"}'], element: { value: 'a' }, is: [] },
  { steps: ['k:{"name":"a"}'], element: 'a', is: [] },
  { steps: [`k:{"uid":"${OWNER}"}`], element: { uid: 'uid-1' }, is: [`k:{"uid":"${OWNER}"}`] },
  { steps: [`k:{"uid":"${OWNER}"}`], element: { uid: 'uid-2' }, is: [] },
  { steps: ['k:{"uid":"uid-2"}'], element: { uid: 'uid-1' }, is: [] },
  {
    steps: [`k:{"kind":"A","uid":"${OWNER}"}`],
    element: { kind: 'A', uid: 'uid-1' },
    is: [`k:{"kind":"A","uid":"${OWNER}"}`],
  },
  { steps: ['k:{"name":"a","port":1}'], element: { name: 'a' }, is: [] },
  { steps: ['k:{"name":"a"}'], element: null, is: [] },
  { steps: ['v:"a"', 'v:"b"'], element: 'b', is: ['v:"b"'] },
  { steps: ['v:{"a":1}', 'i:0', '.'], element: { a: 1 }, is: ['v:{"a":1}'] },
  {
    steps: ['k:{"name":"a","port":1}', 'k:{"name":"a"}'],
    element: { name: 'a', port: 1 },
    is: ['k:{"name":"a","port":1}', 'k:{"name":"a"}'],
  },
  {
    steps: ['k:{"name":"z"}', 'k:{"name":"a","port":1}', 'k:{"name":"a"}'],
    element: { name: 'a', port: 1 },
    is: ['k:{"name":"a","port":1}', 'k:{"name":"a"}'],
  },
];

describe('ElementSteps', () => {
  it.each(cases)('$element is an element of the steps $is among $steps', ({ steps, element, is }) => {
    expect(stepsOf(steps, element)).toEqual(is);
  });

  it('ElementSteps finds the first element of a list for each step', () => {
    const steps = new ElementSteps({ 'k:{"name":"a"}': {}, 'k:{"name":"b"}': {} });
    const list = [{}, { name: 'a' }, { name: 'a', value: 'x' }];
    expect([...steps.placesIn(list, '')]).toEqual([['k:{"name":"a"}', 1]]);
  });
});
