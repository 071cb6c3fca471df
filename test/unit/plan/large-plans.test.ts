import { describe, expect, it } from 'vitest';
import { apply } from '#lib/desired/result/intent.ts';
import { Deployment, type KindRef, type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import { readFields } from '#lib/loop/cache/projection/field-reader.ts';
import { duplicateElements } from '#lib/plan/duplicates.ts';
import { covers } from '#lib/plan/fields/covers.ts';
import { overridesOf } from '#lib/plan/fields/overrides.ts';
import type { FieldTree } from '#lib/plan/fields/pin.ts';
import { planChildren } from '#lib/plan/plan.ts';
import { intentOf, planInput, Settings } from '#test/unit/support/plan-inputs.ts';

const MISSING = 10_000;

/** An intent that counts the reads of its body. */
const counted = (kind: KindRef, name: string, looks: { count: number }): KubeObject =>
  intentOf(kind, name, {
    data: {
      get text() {
        looks.count += 1;
        return name;
      },
    },
  });

describe('planChildren() of a large set', () => {
  it.each([Pod, Settings])('planChildren() looks into no $kind that is missing, however many there are', (kind) => {
    const looks = { count: 0 };
    const intents = Array.from({ length: MISSING }, (_, index) => apply(counted(kind, `c-${index}`, looks)));
    const input = planInput(intents);
    looks.count = 0;
    const { steps } = planChildren(input);
    expect(steps).toHaveLength(MISSING);
    expect(looks.count).toBe(0);
  });
});

/** More variables of a container than an object can have: etcd stores at most 1.5 MB. */
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

  it('duplicateElements() looks at each element of a list once', () => {
    // A list longer than any that etcd stores: a comparison of each item with each would be 20 billion comparisons.
    const env = Array.from({ length: 200_000 }, (_, index) => ({ name: `v${index}` }));
    const spec = { template: { spec: { containers: [{ env: [...env, { name: 'v7' }] }] } } };
    const issues = duplicateElements(Deployment, intentOf(Deployment, 'a', { spec }));
    expect(issues.map(({ path }) => path)).toEqual(['spec.template.spec.containers[0].env[200000]']);
  });
});
