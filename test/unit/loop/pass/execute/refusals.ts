import type { Refusal } from '#lib/desired/observation.ts';
import { type HoldOutcome, type Holds, holdsAfter } from '#lib/loop/pass/execute/holds.ts';

export const refusal = (
  name: string,
  reason: Refusal['reason'] = 'QuotaExceeded',
  verb: Refusal['verb'] = 'create',
): Refusal => ({
  verb,
  kind: 'Pod',
  name,
  reason,
  attempts: 1,
  at: '2026-11-21T09:30:00.000000Z',
});

export const create = (name: string, kind = 'Pod') => ({ verb: 'create', kind, name }) as const;

export const after = (outcome: Partial<HoldOutcome>, before: Holds = new Map()): Holds =>
  holdsAfter(before, {
    now: 1000,
    generation: 1,
    refused: [],
    waiting: [],
    populationOf: () => 2,
    waitsMs: new Map(),
    random: () => 0,
    ...outcome,
  });
