import { type PageAnswer, TRIAL_HORIZONS, type Trial, type TrialHorizon } from '#lib/foresight/page/live/trial.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import type { DevCluster } from '../cluster/dev-cluster.ts';
import { type PageObject, pageManifest } from './page-manifest.ts';
import type { WorkerPlace } from './worker/orders.ts';
import type { WorkerProcess } from './worker/worker-process.ts';

/** Options for {@link pageActions}. */
export interface PageActionsOptions {
  readonly dev: Pick<DevCluster, 'cluster'>;
  readonly place: WorkerPlace;
  readonly worker: Pick<WorkerProcess, 'execute'>;
  /** The resources that the page shows now. */
  readonly shown: () => readonly ApiResource[];
}

const problem = (message: string): { readonly problem: { readonly message: string } } => ({ problem: { message } });

const MALFORMED = problem('The request is malformed; load the page again');

const textIn = (body: JsonObject, name: string): string | undefined => {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const objectIn = (body: JsonObject): PageObject | undefined => {
  const [kind, name, namespace] = ['kind', 'name', 'namespace'].map((member) => textIn(body, member));
  if (kind === undefined || name === undefined) return undefined;
  return { kind, name, ...(namespace !== undefined && { namespace }) };
};

const isHorizon = (value: unknown): value is TrialHorizon => TRIAL_HORIZONS.some((horizon) => horizon === value);

/** What the page can ask for: the manifest of an object, and a trial of a change. Both only read the cluster. */
export const pageActions = ({
  dev,
  place,
  worker,
  shown,
}: PageActionsOptions): Readonly<Record<string, (body: unknown) => Promise<object>>> => ({
  manifest: async (body) => {
    const object = isPlainObject(body) ? objectIn(body) : undefined;
    return object === undefined ? MALFORMED : pageManifest(dev, shown(), object);
  },
  try: async (body): Promise<PageAnswer<{ readonly trial: Trial }>> => {
    if (!isPlainObject(body)) return MALFORMED;
    const { yaml, horizon } = body;
    if (typeof yaml !== 'string' || !isHorizon(horizon)) return MALFORMED;
    if (yaml.trim() === '') return problem('Write a manifest first, or take the selected object');
    const answer = await worker.execute({ ...place, type: 'try', yaml, horizon });
    return answer.type === 'failed' ? { problem: answer.problem } : { trial: answer.trial };
  },
});
