import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import type { ChildIntent } from '#lib/desired/result/intent.ts';
import type { State } from '#lib/desired/result/state.ts';
import type { ContainerFailure } from '#lib/workload/container-failure.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import type { LifeMemory, LifePhase, Observed } from './types.ts';

/** The input from which the decision of a pass is made. */
export interface LifeDecisionInput {
  /** The group and kind of the resource, which `immortalContainerWith` may have changed. */
  readonly kind: { readonly group: string; readonly kind: string };
  readonly resource: Observed;
  /** The memory after the observation of this pass. */
  readonly memory: LifeMemory;
}

/** The input of a decision when the pod exists. */
export interface PodDecisionInput extends LifeDecisionInput {
  readonly pod: ObservedPod;
}

/** The decision of a pass: the phase, the intents for the pod, the state to report, and a failure of a container. */
export interface LifeDecision {
  readonly phase: LifePhase;
  readonly children: readonly ChildIntent[];
  readonly state: State;
  /** The reason and message of the condition PodCreated while it is False; `undefined` when the pod exists. */
  readonly podMissing?: { readonly reason: string; readonly message: string };
  readonly failure?: ContainerFailure;
}

/** Makes the condition PodCreated: True when the pod exists. */
export const podCreated = ({ podMissing }: LifeDecision): DesiredCondition => ({
  type: 'PodCreated',
  status: podMissing ? 'False' : 'True',
  ...(podMissing ?? { reason: 'Created', message: 'the pod exists' }),
});
