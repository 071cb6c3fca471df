import { describe, expect, it } from 'vitest';
import type { ChangePlan } from '#lib/foresight/plan/plan-change.ts';
import { planCounts } from '#lib/foresight/plan/plan-counts.ts';
import { planInWords } from '#lib/foresight/plan/plan-in-words.ts';
import type { PlannedWrite } from '#lib/foresight/plan/planned-write.ts';

const owner = { apiVersion: 'demo.example.com/v1', kind: 'Website', namespace: 'default', name: 'a' };

const configMapOf = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name });

const writeOf = (action: PlannedWrite['action'], name: string, more: Partial<PlannedWrite> = {}): PlannedWrite => ({
  ...configMapOf(name),
  action,
  verb: 'patch',
  resource: 'configmaps',
  owner,
  reason: '',
  fields: [],
  afterMs: 0,
  ...more,
});

const planOf = (writes: readonly PlannedWrite[], outcome: 'configured' | 'unchanged' = 'configured'): ChangePlan => ({
  changes: [{ ...owner, outcome, fields: [] }],
  writes,
  garbage: [configMapOf('gone')],
  asks: [],
  notes: [],
});

const alsoWithout = true;
const refused = { code: 409, reason: 'Conflict', message: 'no' };

const summaryOf = (plan: ChangePlan): string | undefined => planInWords(plan).trimEnd().split('\n').at(-1);

describe('planCounts()', () => {
  it('planCounts() counts an object once when it has several writes', () => {
    const writes = [
      writeOf('create', 'new'),
      writeOf('change', 'new'),
      writeOf('change', 'old'),
      writeOf('change', 'old'),
      writeOf('delete', 'gone'),
      writeOf('status', 'a', { ...owner }),
      writeOf('status', 'a', { ...owner }),
      writeOf('change', 'held', { refused }),
      writeOf('change', 'held', { refused }),
    ];
    expect(planCounts(planOf(writes))).toEqual({
      create: 1,
      change: 1,
      delete: 1,
      status: 1,
      refused: 1,
      alsoWithout: 0,
    });
  });

  it('planCounts() separates the objects that would be written without the change', () => {
    const writes = [
      writeOf('change', 'other', { alsoWithout }),
      writeOf('create', 'third', { alsoWithout }),
      writeOf('change', 'fourth', { alsoWithout, refused }),
      writeOf('change', 'both', { alsoWithout }),
      writeOf('change', 'both'),
    ];
    expect(planCounts(planOf(writes))).toMatchObject({ create: 0, change: 1, delete: 1, refused: 0, alsoWithout: 3 });
  });
});

describe('planInWords()', () => {
  it('planInWords() separates in its summary what happens without the change', () => {
    const writes = [writeOf('create', 'new'), writeOf('change', 'other', { alsoWithout })];
    expect(summaryOf(planOf(writes))).toBe(
      'Plan: 1 to create, 0 to change, 1 to delete. Independently of the change, the operator would write 1 object.',
    );
    expect(summaryOf({ ...planOf(writes.slice(1)), garbage: [] })).toBe(
      'Plan: the change itself; the operator would write nothing because of it. Independently of the change, the operator would write 1 object.',
    );
    expect(summaryOf({ ...planOf(writes.slice(1), 'unchanged'), garbage: [] })).toBe(
      'Plan: 0 to create, 0 to change, 0 to delete. Independently of the change, the operator would write 1 object.',
    );
  });

  it('planInWords() names objects with refused writes in its summary', () => {
    const writes = ['held', 'kept'].map((name) => writeOf('change', name, { refused }));
    expect(summaryOf(planOf(writes))).toBe(
      'Plan: 0 to create, 0 to change, 1 to delete. Writes of 2 objects would be refused.',
    );
  });
});
