import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import type { Invariant } from '#lib/sim/world/scenario/scenario.ts';
import { type Case, casesOf, undisturbedPods } from '../case.ts';
import { neverTwoLive, startsAreCounted, strangersStay } from './invariants.ts';
import { immortalsAtRest } from './outcome.ts';
import {
  createImmortal,
  createNode,
  deleteImmortal,
  editImmortal,
  endPod,
  givePodNameBack,
  killImmortalPod,
  taintNode,
  takePodName,
  untaintNode,
} from './script.ts';

const always = (): Invariant[] => [neverTwoLive(), strangersStay(), startsAreCounted()];

const caseOf = casesOf({
  prefix: 'immortal',
  before: [createNode()],
  kinds: [immortalContainer],
  invariants: always,
  outcome: immortalsAtRest,
});

const failed = endPod({ phase: 'Failed', reason: 'OutOfcpu' });
const evicted = endPod({ phase: 'Failed', reason: 'Evicted' });

/** Scenarios of ImmortalContainers. */
export const immortalCases: readonly Case[] = [
  caseOf('create', [createImmortal()]),
  caseOf('kill', [createImmortal(), killImmortalPod('first'), killImmortalPod('next')]),
  caseOf('never-restarts', [createImmortal({ restartPolicy: 'Never' }), killImmortalPod('first')]),
  caseOf('fails', [createImmortal(), failed, failed, evicted]),
  caseOf('edit', [createImmortal(), editImmortal({ image: 'nginx:2' }), editImmortal({ image: 'nginx:3' })]),
  caseOf('edit-back', [
    createImmortal(),
    failed,
    editImmortal({ image: 'nginx:2' }),
    editImmortal({ image: 'nginx:1' }),
  ]),
  caseOf('in-place', [
    createImmortal({ updatePolicy: 'InPlace' }),
    editImmortal({ image: 'nginx:2' }),
    killImmortalPod('first'),
    editImmortal({ image: 'nginx:3' }),
  ]),
  caseOf('suspend', [createImmortal(), editImmortal({ suspend: true }), editImmortal({ suspend: false })]),
  caseOf('stays-suspended', [createImmortal(), failed, editImmortal({ suspend: true })]),
  caseOf('force', [createImmortal({ forceDeleteAfterSeconds: 5 }), killImmortalPod('first'), killImmortalPod('next')]),
  caseOf('vouched', [
    createImmortal({ forceDeleteAfterSeconds: 5 }),
    killImmortalPod('first'),
    taintNode(),
    untaintNode(),
  ]),
  caseOf('delete', [createImmortal(), deleteImmortal()]),
  caseOf('recreate', [createImmortal(), killImmortalPod('first'), deleteImmortal(), createImmortal()]),
  caseOf('taken-name', [
    createImmortal({ suspend: true }),
    takePodName({ isGiven: false }),
    editImmortal({ suspend: false }),
    givePodNameBack(),
  ]),
  caseOf(
    'adopted',
    [createImmortal({ suspend: true }), takePodName({ isGiven: true }), editImmortal({ suspend: false })],
    { chaos: undisturbedPods },
  ),
  caseOf('two-operators', [createImmortal(), killImmortalPod('first'), editImmortal({ image: 'nginx:2' })], {
    operators: 2,
    // The counters are correct only with one loop. With two loops, too, the API server ensures that at most one pod runs.
    invariants: () => [neverTwoLive(), strangersStay()],
    calm: { patience: 100 },
  }),
];
