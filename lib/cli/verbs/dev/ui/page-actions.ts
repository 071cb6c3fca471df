import {
  type PageAnswer,
  ROLLOUT_COMMANDS,
  type RolloutCommand,
  TRIAL_HORIZONS,
  type TrialAnswer,
  type TrialHorizon,
} from '#lib/foresight/page/live/trial.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import type { DevCluster } from '../cluster/dev-cluster.ts';
import { type PageObject, pageManifest, pageProblem } from './page-manifest.ts';
import { BUSY_WORKER, type WorkerPlace } from './worker/orders.ts';
import type { WorkerProcess } from './worker/worker-process.ts';
import type { PageWrites, WriteWish } from './writes/page-writes.ts';

/** Options for {@link pageActions}. */
export interface PageActionsOptions {
  readonly dev: Pick<DevCluster, 'cluster'>;
  readonly place: WorkerPlace;
  readonly worker: Pick<WorkerProcess, 'execute'>;
  /** The resources that the page shows now. */
  readonly shown: () => readonly ApiResource[];
  /** The writes of the page; `undefined` for a page that only reads. */
  readonly writes: PageWrites | undefined;
}

/** Answers to requests of the page, by name. An answer is JSON. */
export type PageActions = Readonly<Record<string, (body: unknown) => Promise<object>>>;

const MALFORMED = pageProblem('The request is malformed; load the page again');

const textIn = (body: JsonObject, name: string): string | undefined => {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const objectIn = (body: unknown): PageObject | undefined => {
  if (!isPlainObject(body)) return undefined;
  const [kind, group, name, namespace] = ['kind', 'group', 'name', 'namespace'].map((member) => textIn(body, member));
  if (kind === undefined || name === undefined) return undefined;
  return { kind, name, ...(group !== undefined && { group }), ...(namespace !== undefined && { namespace }) };
};

const isHorizon = (value: unknown): value is TrialHorizon => TRIAL_HORIZONS.some((horizon) => horizon === value);

const isCommand = (value: unknown): value is RolloutCommand =>
  typeof value === 'string' && Object.hasOwn(ROLLOUT_COMMANDS, value);

const wishIn = (body: unknown): WriteWish | undefined => {
  if (!isPlainObject(body)) return undefined;
  const apply = textIn(body, 'apply');
  if (apply !== undefined) return { apply };
  const object = objectIn(body['object']);
  const { command } = body;
  return object !== undefined && isCommand(command) ? { object, command } : undefined;
};

const readActions = ({ dev, place, worker, shown, writes }: PageActionsOptions): PageActions => ({
  manifest: async (body) => {
    const object = objectIn(body);
    return object === undefined ? MALFORMED : pageManifest(dev, shown(), object);
  },
  try: async (body): Promise<PageAnswer<TrialAnswer>> => {
    if (!isPlainObject(body)) return MALFORMED;
    const { yaml, horizon } = body;
    if (typeof yaml !== 'string' || !isHorizon(horizon)) return MALFORMED;
    if (yaml.trim() === '') return pageProblem('Write a manifest first, or take the selected object');
    const answer = await worker.execute({ ...place, type: 'try', yaml, horizon });
    if (answer.type === 'busy') return pageProblem(BUSY_WORKER);
    if (answer.type !== 'tried') return answer.type === 'failed' ? { problem: answer.problem } : MALFORMED;
    const { trial } = answer;
    const outcomes = new Set(trial.changes.map(({ outcome }) => outcome));
    const mayApply = !outcomes.has('refused') && [...outcomes].some((outcome) => outcome !== 'unchanged');
    return { trial, ...(writes !== undefined && mayApply && { apply: writes.remember(yaml) }) };
  },
});

const writeActions = (writes: PageWrites): PageActions => ({
  prepare: async (body) => {
    const wish = wishIn(body);
    return wish === undefined ? MALFORMED : writes.prepare(wish);
  },
  confirm: async (body) => {
    const id = isPlainObject(body) ? textIn(body, 'id') : undefined;
    return id === undefined ? MALFORMED : writes.confirm(id);
  },
});

/**
 * Makes the actions of the page: `manifest` and `try`, which only read the cluster. With `writes`, also `prepare` and
 * `confirm`.
 */
export const pageActions = (options: PageActionsOptions): PageActions => ({
  ...readActions(options),
  ...(options.writes !== undefined && writeActions(options.writes)),
});
