import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import type { ChildIntent } from '#lib/desired/result/intent.ts';
import type { State } from '#lib/desired/result/state.ts';
import type { ContainerFailure } from '#lib/workload/container-failure.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import type { LifeMemory, LifePhase, Observed } from './types.ts';

/** The input for the decision of a phase. */
export interface LifeSituation {
  /** The kind of the resource, which another operator may have renamed. */
  readonly kind: { readonly group: string; readonly kind: string };
  readonly resource: Observed;
  /** The memory, already updated with the observation of this pass. */
  readonly memory: LifeMemory;
}

/** A situation in which the pod exists. */
export interface PodScene extends LifeSituation {
  readonly pod: ObservedPod;
}

/** The decision of a phase: the intents for the children, and the state to report. */
export interface Course {
  readonly phase: LifePhase;
  readonly children: readonly ChildIntent[];
  readonly state: State;
  /** The reason why the resource has no pod; `undefined` when the pod exists. */
  readonly podMissing?: { readonly reason: string; readonly message: string };
  /** The reason why a container of the pod cannot run. */
  readonly failure?: ContainerFailure;
}

/** The condition PodCreated. */
export const podCreated = ({ podMissing }: Course): DesiredCondition => ({
  type: 'PodCreated',
  status: podMissing ? 'False' : 'True',
  ...(podMissing ?? { reason: 'Created', message: 'the pod exists' }),
});
