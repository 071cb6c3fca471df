import type { InputProblem, Trial, TrialHorizon } from '#lib/foresight/page/live/trial.ts';

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

/** A message to a worker process. */
export type WorkerOrder = WorkerPlace & TryOrder;

/** The answer of a worker process. */
export type WorkerAnswer =
  | { readonly type: 'tried'; readonly trial: Trial }
  | { readonly type: 'failed'; readonly problem: InputProblem };
