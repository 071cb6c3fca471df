import type { SteeringVerb } from '#lib/desired/steering.ts';
import type { InputProblem, Trial, TrialHorizon } from '#lib/foresight/page/live/trial.ts';
import type { PreparedSteering, SteeringTarget } from '../../../rollout/steer.ts';

/** The project and the cluster of an order. */
export interface WorkerPlace {
  /** The configuration file. */
  readonly config: string;
  readonly cwd: string;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
}

/** A change to try: manifests in YAML. */
export interface TryOrder {
  readonly type: 'try';
  readonly yaml: string;
  readonly horizon: TrialHorizon;
}

/** A command to a rollout. */
export interface SteerOrder {
  /** `prepare` returns the edits and writes nothing. `steer` writes exactly `expected`. */
  readonly type: 'prepare' | 'steer';
  /** The object, as `<kind>/<name>`. */
  readonly word: string;
  readonly verb: SteeringVerb;
  /** The id of the command: the same for `prepare` and `steer`. */
  readonly id: string;
  readonly expected?: SteeringTarget;
}

/** A message to a worker process. */
export type WorkerOrder = WorkerPlace & (TryOrder | SteerOrder);

/** The problem of an order that came while another order was running. */
export const BUSY_WORKER =
  'Another trial or command is still running; wait for its end, which takes at most a minute, and try again';

/** The answer to an order. */
export type WorkerAnswer =
  | { readonly type: 'tried'; readonly trial: Trial }
  | ({ readonly type: 'prepared' } & PreparedSteering)
  /** @see steerByPatch: the text is its output */
  | { readonly type: 'steered'; readonly text: string }
  | { readonly type: 'failed'; readonly problem: InputProblem }
  /** Another order is running, so this order had no effect. */
  | { readonly type: 'busy' };
