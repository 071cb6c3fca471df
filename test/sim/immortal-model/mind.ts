import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import type { Observed } from '#constructs/immortal-container/types.ts';
import { canonical } from '#lib/desired/canonical/canonical.ts';
import { instantOf, passClock } from '#lib/desired/clock.ts';
import { createObservation, noOutcomes } from '#lib/desired/observe/create-observation.ts';
import { relatedAmong } from '#lib/desired/observe/related-among.ts';
import { conditionsOf } from '#lib/desired/result/conditions.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { planChildren } from '#lib/plan/plan.ts';
import type { Step } from '#lib/plan/step.ts';
import { keyOf } from '#test/sim/model-key.ts';
import type { ModelState } from './state.ts';
import { nodeViews, podView, resourceView, type Settings } from './view.ts';

/** The functions of a pass, which may be replaced by broken ones. */
export interface Mind {
  readonly settings: Settings;
  readonly desired: typeof immortalContainer.desired;
  /** The part of a plan that is carried out. */
  readonly plan: (steps: readonly Step[]) => readonly Step[];
}

/** A step that asks the API server for something. */
export type WriteStep = Exclude<Step, { readonly step: 'skip' }>;

const MICROS = 1_000_000;

/** A status as it is stored. */
export type Status = NonNullable<Observed['status']>;

/** The decisions of the operator for its view. */
export interface Thought {
  readonly writes: readonly WriteStep[];
  readonly status: Status;
  /** In seconds. */
  readonly awaited: number | undefined;
}

/** A constant time for conditions: their times would multiply states that are otherwise equal. */
const noTime = instantOf(0);

const statusAfter = ({ status, seen }: ModelState, { status: own, state, conditions = [] }: Desired<object>) => {
  const { generation } = seen.asked;
  const all = conditionsOf({ state, conditions, previous: status?.conditions ?? [], generation, now: noTime });
  return canonical({ ...own, observedGeneration: generation, conditions: all }) as Status;
};

const thoughtAnew = (state: ModelState, { settings, desired: ask, plan }: Mind): Thought => {
  const resource = resourceView(state, settings);
  const { owns, reads = [] } = immortalContainer;
  const pods = state.seen.pods.map(podView);
  const passing = passClock(state.now * MICROS);
  const desired = ask(
    createObservation({
      resource,
      owns,
      children: pods,
      orphans: [],
      related: relatedAmong({ reads, from: 'default', objects: [...pods, ...nodeViews(state.seen.node)] }),
      refused: [],
      outcomes: noOutcomes,
      clock: passing.clock,
    }),
  );
  const children = pods.map((object) => ({ kind: owns[0] ?? Pod, object }));
  const { steps } = planChildren({ definition: immortalContainer, resource, children, orphans: [], desired });
  const writes = plan(steps).filter((step): step is WriteStep => step.step !== 'skip');
  const micros = passing.awaited();
  const awaited = micros === undefined ? undefined : Math.ceil(micros / MICROS);
  return { writes, status: statusAfter(state, desired), awaited };
};

const thoughts = new WeakMap<Mind, Map<string, Thought>>();

/** The decisions for a state. The functions are pure, so they are called once for each input. */
export const thoughtOf = (state: ModelState, mind: Mind): Thought => {
  const known = thoughts.get(mind) ?? new Map<string, Thought>();
  thoughts.set(mind, known);
  const view = keyOf([state.seen, state.status, state.now]);
  const result = known.get(view) ?? thoughtAnew(state, mind);
  known.set(view, result);
  return result;
};
