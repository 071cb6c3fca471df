import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import type { ChildIntent } from '#lib/desired/result/intent.ts';
import type { State } from '#lib/desired/result/state.ts';
import type { ContainerFailure } from '#lib/workload/container-failure.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import type { LifeMemory, LifePhase, Observed } from './types.ts';

/** What a phase is decided from. */
export interface LifeSituation {
  /** What the API of the resource is called. */
  readonly kind: { readonly group: string; readonly kind: string };
  readonly resource: Observed;
  /** What is known after this look. */
  readonly memory: LifeMemory;
}

/** The same, with the pod that it is about. */
export interface PodScene extends LifeSituation {
  readonly pod: ObservedPod;
}

/** What is done in a phase, and how it is called. */
export interface Course {
  readonly phase: LifePhase;
  readonly children: readonly ChildIntent[];
  readonly state: State;
  /** Why there is no pod of ours; `undefined` when there is one. */
  readonly podMissing?: { readonly reason: string; readonly message: string };
  /** A container of the pod cannot run. */
  readonly failure?: ContainerFailure;
}

/** The condition PodCreated. */
export const podCreated = ({ podMissing }: Course): DesiredCondition => ({
  type: 'PodCreated',
  status: podMissing ? 'False' : 'True',
  ...(podMissing ?? { reason: 'Created', message: 'the pod exists' }),
});
