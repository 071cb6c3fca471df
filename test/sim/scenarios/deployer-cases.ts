import type { ClusterView, Invariant } from '#lib/sim/world/scenario/scenario.ts';
import type { Case } from './case.ts';
import { create, deployerIn, deploymentsIn, edit, remove, rollTo, scenarioOf, sizesIn } from './deployer.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** The Deployments never ask for more pods than replicas plus surge, except after replicas were reduced. */
const neverTooMany = (limit: number): Invariant => ({
  name: `never more than ${limit} pods asked for`,
  check: (view) => {
    const sizes = sizesIn(view);
    return sum(Object.values(sizes)) > limit ? JSON.stringify(sizes) : undefined;
  },
});

/** No two Deployments ever select the same pods. */
const disjoint = (): Invariant => ({
  name: 'selectors are disjoint',
  check: (view) => {
    const all = deploymentsIn(view).map(({ spec }) => JSON.stringify(spec.selector.matchLabels));
    return new Set(all).size < all.length ? all.join(' ') : undefined;
  },
});

/** A version that was given up never grows again. */
const abortedNeverGrows = (): Invariant => {
  let before: Readonly<Record<string, number>> = {};
  return {
    name: 'an aborted version never grows',
    check: (view: ClusterView) => {
      const { status } = deployerIn(view) ?? {};
      const sizes = sizesIn(view);
      const name = `nginx-${status?.canaryVersion}`;
      const grown = (sizes[name] ?? 0) > (before[name] ?? 0);
      before = sizes;
      return status?.abortReason !== undefined && grown ? `${name} has ${sizes[name]} pods` : undefined;
    },
    memory: () => before,
  };
};

const quick = [{ percent: 30, sleep: 2 }, { percent: 60 }, { percent: 100 }];
const three = create({ deployment: { replicas: 3 }, spec: { steps: quick, progressDeadlineAction: 'Report' } });

const caseOf = (name: string, script: Case['scenario']['script']): Case => ({
  scenario: scenarioOf(name, script, { invariants: () => [neverTooMany(4), disjoint(), abortedNeverGrows()] }),
  chaos: {},
});

/** Scenarios of Deployers; three pods, so that each schedule is short. */
export const deployerCases: readonly Case[] = [
  caseOf('roll', [three, rollTo('2')]),
  caseOf('back', [three, rollTo('2'), rollTo('1.7.7')]),
  caseOf('scale', [three, rollTo('2'), edit({ deployment: { replicas: 2 } })]),
  caseOf('leave', [three, rollTo('2'), remove()]),
];
