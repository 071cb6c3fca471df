import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { observationOf } from '#lib/desired/observe/observation-of.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { resultIssues } from '#lib/desired/result/result-check.ts';
import { validateStatus } from '#lib/kind/instance/validate-status.ts';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { planChildren } from '#lib/plan/plan.ts';
import { runs } from '#test/properties.ts';
import { childrenAfter, lives, type Round, situationOf, startMicros } from './life.ts';
import { validFor } from './valid-arbitrary.ts';

type Past = Parameters<typeof situationOf>[1];

/** Calls the function twice, and checks the result as the loop does: its form, its status and its plan. */
const pass = (definition: AnyKindDefinition, round: Round, past: Past): Desired<object> => {
  const ask = () => observationOf(definition, situationOf(round, past));
  const seen = ask();
  const desired = definition.desired(seen) as Desired<object>;
  expect(resultIssues(desired)).toEqual([]);
  expect(validateStatus(definition, desired.status)).toEqual([]);
  expect(definition.desired(ask())).toEqual(desired);
  const children = definition.owns.flatMap((kind) => seen.children.of(kind).map((object) => ({ kind, object })));
  planChildren({ definition, resource: seen.resource, children, orphans: [], desired });
  return desired;
};

/** @returns the last answer */
const live = (
  definition: AnyKindDefinition,
  rounds: readonly Round[],
  status?: object,
): Desired<object> | undefined => {
  let past: Past = { micros: startMicros, children: [], ...(status && { status }) };
  let last: Desired<object> | undefined;
  for (const round of rounds) {
    const micros = past.micros + round.secondsLater * 1_000_000;
    last = pass(definition, round, { ...past, micros });
    past = { micros, status: last.status, children: childrenAfter(last.children, round, micros) };
  }
  return last;
};

const named = kinds.map((definition) => ({ name: definition.kind, definition }));

describe.each(named)('the function of $name', ({ definition }) => {
  it('answers rightly whatever valid spec it is given and whatever its children do', () => {
    fc.assert(
      fc.property(lives(definition), (rounds) => {
        expect(live(definition, rounds)).toBeDefined();
      }),
      { numRuns: runs(20) },
    );
  });

  it('returns a valid result for any valid status', () => {
    const statuses = validFor(readSchema({ ...definition.status })) as fc.Arbitrary<object>;
    fc.assert(
      fc.property(lives(definition), statuses, (rounds, status) => {
        expect(live(definition, rounds, status)).toBeDefined();
      }),
      { numRuns: runs(20) },
    );
  });
});
