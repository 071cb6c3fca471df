import { describe, expect, it } from 'vitest';
import { readFields } from '#lib/loop/cache/projection/field-reader.ts';
import { covers } from '#lib/plan/fields/covers.ts';
import { ElementSteps } from '#lib/plan/fields/elements.ts';
import { overridesOf } from '#lib/plan/fields/overrides.ts';
import { type FieldTree, OWNER } from '#lib/plan/fields/pin.ts';

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
  { steps: ['v:"a"', 'v:"b"'], element: 'b', is: ['v:"b"'] },
  { steps: ['v:{"a":1}', 'i:0', '.'], element: { a: 1 }, is: ['v:{"a":1}'] },
  {
    steps: ['k:{"name":"a","port":1}', 'k:{"name":"a"}'],
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

/** As many variables of a container as no object can have: 1.5 MB are all that etcd takes. */
const COUNT = 50_000;

describe('an object with a long list', () => {
  const names = Array.from({ length: COUNT }, (_, index) => `v${index}`);
  const env = names.map((name) => ({ name, value: 'x' }));
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { env } };
  const element = { '.': {}, 'f:name': {}, 'f:value': {} };
  const elements: FieldTree = Object.fromEntries(names.map((name) => [`k:{"name":"${name}"}`, element]));
  const tree: FieldTree = { 'f:metadata': {}, 'f:spec': { 'f:env': { '.': {}, ...elements } } };

  it('readFields() reads its owned fields in linear time', () => {
    const { set, values } = readFields(object, tree, '');
    expect(values).toHaveLength(1 + 2 * COUNT);
    expect(Object.keys(set.tree['f:spec']?.['f:env'] ?? {})).toHaveLength(COUNT);
  });

  it('covers() compares it with its owned fields in linear time', () => {
    expect(covers(tree, object, { owner: '', live: object, isWhole: true })).toBe(true);
  });

  it('overridesOf() compares it with an answer in linear time', () => {
    const found = { ...object, spec: { env: env.with(COUNT - 1, { name: `v${COUNT - 1}`, value: 'y' }) } };
    expect(overridesOf(object, found, { owner: '', tree, isWhole: true })).toEqual([
      { way: ['f:spec', 'f:env', `k:{"name":"v${COUNT - 1}"}`, 'f:value'], wanted: 'x', found: 'y' },
    ]);
  });
});
