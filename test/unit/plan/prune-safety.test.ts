import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keep } from '#lib/desired/result/intent.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { planChildren } from '#lib/plan/plan.ts';
import { Claim, childOf, parent, planInput, Settings } from '#test/unit/support/plan-inputs.ts';

const kinds = [Pod, Settings, Claim];
const ALLOW_PRUNE = 'cdk8s-reconcile/allow-prune';

const situations = fc.record({
  children: fc.uniqueArray(
    fc.record({
      kind: fc.constantFrom(...kinds),
      name: fc.stringMatching(/^[a-z][a-z0-9]{0,3}$/),
      isKept: fc.boolean(),
      isTerminating: fc.boolean(),
    }),
    { maxLength: 40, selector: ({ kind, name }) => `${kind.kind}/${name}` },
  ),
  isPartial: fc.boolean(),
  isDeleting: fc.boolean(),
  consent: fc.constantFrom('', 'generation=3', 'generation=2', 'PersistentVolumeClaim/a'),
});

describe('planPrunes()', () => {
  it('planPrunes() deletes only what was observed, in order, with consent where it is needed, and nothing when the result is partial', () => {
    fc.assert(
      fc.property(situations, ({ children, isPartial, isDeleting, consent }) => {
        const gone = { deletionTimestamp: '2026-11-21T09:29:00Z' };
        const observed = children.map(({ kind, name, isTerminating }) =>
          childOf(kind, name, isTerminating ? gone : {}),
        );
        const owner = parent(consent === '' ? {} : { [ALLOW_PRUNE]: consent });
        const resource = isDeleting ? { ...owner, metadata: { ...owner.metadata, ...gone } } : owner;
        const intents = observed.filter((_, index) => children[index]?.isKept).map(({ object }) => keep(object));
        const traits = { children: observed, resource, ...(isPartial && { partial: 'not now' }) };
        const pruned = planChildren(planInput(intents, traits)).steps.filter((step) => step.step === 'prune');
        const isAllowed = isDeleting || consent === 'generation=3';
        expect(isPartial ? pruned : []).toEqual([]);
        expect(isAllowed || pruned.length <= Math.max(10, observed.length / 2)).toBe(true);
        for (const { kind, name, uid, resourceVersion } of pruned) {
          const index = children.findIndex((child) => child.kind === kind && child.name === name);
          expect(children[index]).toMatchObject({ isKept: false, isTerminating: false });
          expect({ uid, resourceVersion }).toMatchObject({
            uid: observed[index]?.object.metadata?.uid,
            resourceVersion: observed[index]?.object.metadata?.resourceVersion,
          });
          expect(kind !== Claim || consent === `PersistentVolumeClaim/${name}`).toBe(true);
        }
        const order = pruned.map(({ kind }) => kinds.indexOf(kind as (typeof kinds)[number]));
        expect(order).toEqual(order.toSorted((a, b) => b - a));
      }),
    );
  });
});
