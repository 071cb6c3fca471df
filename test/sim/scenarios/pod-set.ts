import { podSet } from '#constructs/pod-set/kind.ts';
import type { Invariant } from '#lib/sim/world/scenario/scenario.ts';
import { type Case, casesOf, undisturbedPods } from './case.ts';
import { foreignPodsStay, neverTooFew, neverTooMany } from './invariants.ts';
import { setsAtRest } from './outcome.ts';
import {
  changeLimit,
  createNamespace,
  createSet,
  deleteNamespace,
  deleteSet,
  giveNameBack,
  imitatePod,
  killPod,
  limitPods,
  replacePod,
  scaleSet,
  takeName,
} from './script.ts';

const always = (): Invariant[] => [neverTooMany(), foreignPodsStay()];

const caseOf = casesOf({ prefix: 'podset', kinds: [podSet], invariants: always, outcome: setsAtRest });

/** Scenarios of PodSets. */
export const podSetCases: readonly Case[] = [
  caseOf('create', [createSet('web', 3)]),
  caseOf('scale-up', [createSet('web', 1), scaleSet('web', 3)]),
  caseOf('scale-down', [createSet('web', 3), scaleSet('web', 1)], {
    invariants: () => [...always(), neverTooFew()],
    chaos: undisturbedPods,
  }),
  caseOf('up-and-down', [createSet('web', 2), scaleSet('web', 4), scaleSet('web', 1), scaleSet('web', 3)]),
  caseOf('up-and-down-gently', [createSet('web', 2), scaleSet('web', 5), scaleSet('web', 2)], {
    invariants: () => [...always(), neverTooFew()],
    chaos: undisturbedPods,
  }),
  caseOf('to-zero', [createSet('web', 2), scaleSet('web', 0)]),
  caseOf('kill', [createSet('web', 3), killPod('first'), killPod('next')]),
  caseOf('kill-and-scale', [createSet('web', 3), killPod('first'), scaleSet('web', 2), killPod('next')]),
  caseOf('delete', [createSet('web', 2), deleteSet('web')]),
  caseOf('delete-while-creating', [createSet('web', 6), deleteSet('web')]),
  caseOf('recreate', [createSet('web', 2), deleteSet('web'), createSet('web', 3)]),
  caseOf('taken-name', [createSet('web', 0), takeName('web'), scaleSet('web', 2), giveNameBack('web')]),
  caseOf('replaced-pod', [createSet('web', 2), replacePod(), scaleSet('web', 0)], { chaos: undisturbedPods }),
  caseOf('look-alike', [createSet('web', 2), imitatePod('web'), scaleSet('web', 1)], { chaos: undisturbedPods }),
  caseOf('quota', [limitPods(2), createSet('web', 3), changeLimit(5)]),
  caseOf('two-sets', [createSet('web', 2), createSet('db', 1), scaleSet('web', 1), scaleSet('db', 3)]),
  caseOf('two-operators', [createSet('web', 2), scaleSet('web', 3), scaleSet('web', 1)], {
    operators: 2,
    // The number of pods relies on one loop per cluster; everything else must hold with two.
    invariants: () => [foreignPodsStay()],
    // Two loops with different views contradict each other while the views differ. No promise covers this: with a lease there
    // is one loop. A silent watch makes the contradiction last for minutes, with four writes of the status a second: too many
    // for a schedule.
    calm: { patience: 100 },
    chaos: { weights: { 'watch silent': 0 } },
  }),
  // In this case no other event wakes the loop: a forgotten change stays forgotten.
  caseOf('one-pod', [createSet('web', 0), scaleSet('web', 1)]),
  caseOf('namespace', [createNamespace('team'), createSet('web', 2, 'team'), deleteNamespace('team')]),
];
