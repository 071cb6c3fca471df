import { describe, expect, it } from 'vitest';
import { selects, selectsEverything } from '#lib/apiserver/machinery/label-selector.ts';

const labels = { app: 'web', tier: 'front' };

describe('selects()', () => {
  it.for([
    { operator: 'In', key: 'app', values: ['web', 'api'], expected: true },
    { operator: 'In', key: 'app', values: ['api'], expected: false },
    { operator: 'In', key: 'none', values: ['api'], expected: false },
    { operator: 'NotIn', key: 'app', values: ['web'], expected: false },
    { operator: 'NotIn', key: 'none', values: ['web'], expected: true },
    { operator: 'Exists', key: 'app', expected: true },
    { operator: 'Exists', key: 'constructor', expected: false },
    { operator: 'DoesNotExist', key: 'none', expected: true },
    { operator: 'DoesNotExist', key: 'app', expected: false },
  ])('says $expected for $key $operator $values', ({ operator, key, values, expected }) => {
    const matchExpressions = [{ key, operator, ...(values && { values }) }];
    expect(selects({ matchExpressions }, labels)).toBe(expected);
  });

  it('wants all labels and all expressions', () => {
    const matchExpressions = [{ key: 'tier', operator: 'Exists' }];
    expect(selects({ matchLabels: { app: 'web' }, matchExpressions }, labels)).toBe(true);
    expect(selects({ matchLabels: { app: 'api' }, matchExpressions }, labels)).toBe(false);
  });
});

describe('selectsEverything()', () => {
  it('is true for an empty selector only', () => {
    expect(selectsEverything({})).toBe(true);
    expect(selectsEverything({ matchLabels: { app: 'web' } })).toBe(false);
  });
});
