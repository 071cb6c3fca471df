import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply, type ChildIntent, keep, release, remove } from '#lib/desired/result/intent.ts';
import { type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import { planChildren } from '#lib/plan/plan.ts';
import type { Child, Step } from '#lib/plan/step.ts';
import { Claim, childOf, intentOf, madeOf, planInput, Settings } from '#test/unit/support/plan-inputs.ts';

/** The observed object of one name, and the intent for it. */
interface Slot {
  readonly kind: KindRef;
  readonly name: string;
  readonly observed: 'absent' | 'alive' | 'terminating';
  readonly wish: 'apply' | 'keep' | 'release' | 'remove' | 'unnamed';
}

const slots = fc.uniqueArray(
  fc.record<Slot>({
    kind: fc.constantFrom<KindRef>(Pod, Settings, Claim),
    name: fc.stringMatching(/^[a-e]{1,2}$/),
    observed: fc.constantFrom('absent', 'alive', 'terminating'),
    wish: fc.constantFrom('apply', 'keep', 'release', 'remove', 'unnamed'),
  }),
  { selector: ({ kind, name }) => `${kind.kind}/${name}`, maxLength: 30 },
);

const observe = ({ kind, name, observed }: Slot): Child =>
  childOf(kind, name, observed === 'terminating' ? { deletionTimestamp: '2026-11-21T09:29:00Z' } : {});

const wishFor = (slot: Slot): ChildIntent[] => {
  const { object } = observe(slot);
  if (slot.wish === 'unnamed') return [];
  if (slot.wish === 'apply' || slot.observed === 'absent') return [apply(intentOf(slot.kind, slot.name))];
  if (slot.wish === 'keep') return [keep(object)];
  return slot.wish === 'release' ? [release(object)] : [remove(object, 'Why')];
};

const childrenOf = (all: readonly Slot[]): Child[] => all.filter(({ observed }) => observed !== 'absent').map(observe);

/** The list and the same list in another order. */
const withShuffled = slots.chain((all) =>
  fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
);

const stepsFor = (declared: readonly Slot[], observed: readonly Slot[]): readonly Step[] =>
  planChildren(planInput(declared.flatMap(wishFor), { children: childrenOf(observed) })).steps;

describe('planChildren()', () => {
  it('planChildren() gives the identical plan when intents and children come in another order', () => {
    fc.assert(
      fc.property(withShuffled, ([all, reordered]) => {
        expect(stepsFor(reordered, reordered.toReversed())).toEqual(stepsFor(all, all));
      }),
    );
  });

  it('planChildren() has exactly one step for every child that is observed or declared', () => {
    fc.assert(
      fc.property(slots, (all) => {
        const concerned = all.filter((slot) => slot.observed !== 'absent' || wishFor(slot).length > 0);
        const named = stepsFor(all, all).map(({ kind, name }) => `${kind.kind}/${name}`);
        expect(named.toSorted()).toEqual(concerned.map(({ kind, name }) => `${kind.kind}/${name}`).toSorted());
      }),
    );
  });

  it('planChildren() creates only what is absent and deletes only what is observed', () => {
    fc.assert(
      fc.property(slots, (all) => {
        const observed = new Map(all.map((slot) => [`${slot.kind.kind}/${slot.name}`, slot.observed]));
        for (const { step, kind, name } of stepsFor(all, all)) {
          if (step === 'skip') continue;
          expect(observed.get(`${kind.kind}/${name}`) === 'absent').toBe(step === 'create');
        }
      }),
    );
  });

  it('planChildren() plans only skips when everything that it creates has been created', () => {
    fc.assert(
      fc.property(slots, (all) => {
        const declared = all.filter(({ kind }) => kind.createOnce).map(({ kind, name }) => intentOf(kind, name));
        const children = declared.map((object) => madeOf(Pod, object));
        const { steps } = planChildren(
          planInput(
            declared.map((object) => apply(object)),
            { children },
          ),
        );
        expect(steps.map(({ step, reason }) => `${step} ${reason}`)).toEqual(declared.map(() => 'skip Unchanged'));
      }),
    );
  });
});
