import { instantOf } from '#lib/desired/clock.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { ApiError, InvariantError, UnsupportedError } from '#lib/errors.ts';
import type { ApiTarget } from '#lib/kube/api.ts';
import type { Step } from '#lib/plan/step.ts';
import { controllerOf } from './cache.ts';
import { type Context, cacheOf } from './context.ts';
import { keyOf } from './key.ts';
import type { Seen } from './observe.ts';
import { refusalReasonOf } from './refusal.ts';
import { inSlowStart } from './slow-start.ts';

/** What became of a plan. */
export interface Execution {
  /** Number of children written; names that turned out to be ours already count, too. */
  readonly written: number;
  readonly refused: readonly Refusal[];
  /** The longest wait that the API server asked for, in milliseconds. */
  readonly retryAfterMs: number;
}

type WriteStep = Exclude<Step, { readonly step: 'skip' }>;
type CreateStep = Extract<Step, { readonly step: 'create' }>;
type DeleteStep = Extract<Step, { readonly step: 'remove' | 'prune' }>;

const targetOf = ({ resource }: Seen, step: Step): ApiTarget => ({
  namespace: resource.metadata.namespace,
  name: step.name,
});

/** A name that is taken is looked up live: ours means that an earlier create went through, whatever became of its answer. */
const claimExisting = async (context: Context, seen: Seen, step: CreateStep, conflict: ApiError): Promise<void> => {
  const live = await context.api.get(step.kind, targetOf(seen, step));
  const owner = controllerOf(live);
  if (owner?.uid !== seen.resource.metadata.uid) throw conflict;
  cacheOf(context, step.kind).overlay(live);
};

const create = async (context: Context, seen: Seen, step: CreateStep): Promise<void> => {
  const { api, fieldManager } = context;
  const { namespace } = seen.resource.metadata;
  try {
    const answer = await api.create(step.kind, step.object, { namespace, fieldManager });
    cacheOf(context, step.kind).overlay(answer);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'AlreadyExists')) throw error;
    await claimExisting(context, seen, step, error);
  }
};

/** A deletion is done, too, when the object is gone already or its name has passed to another (uid precondition, 409). */
const isGone = (error: unknown, step: DeleteStep): boolean =>
  error instanceof ApiError && (error.httpStatus === 404 || (error.httpStatus === 409 && step.step === 'remove'));

const remove = async (context: Context, seen: Seen, step: DeleteStep): Promise<void> => {
  const cache = cacheOf(context, step.kind);
  const target = targetOf(seen, step);
  const { uid } = step;
  const demands = step.step === 'prune' ? { resourceVersion: step.resourceVersion } : gracePeriodOf(step);
  try {
    const lingering = await context.api.delete(step.kind, target, { uid, ...demands });
    if (lingering) cache.overlay(lingering);
    else cache.overlayGone(keyOf(target.namespace, target.name), uid);
  } catch (error) {
    if (!isGone(error, step)) throw error;
    cache.overlayGone(keyOf(target.namespace, target.name), uid);
  }
};

const gracePeriodOf = ({ gracePeriodSeconds }: { readonly gracePeriodSeconds?: number }) =>
  gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };

const write = async (context: Context, seen: Seen, step: WriteStep): Promise<void> => {
  switch (step.step) {
    case 'create':
      return create(context, seen, step);
    case 'remove':
    case 'prune':
      return remove(context, seen, step);
    case 'apply':
    case 'adopt':
    case 'release':
      throw new UnsupportedError(`Step "${step.step}" is not supported by this version of the loop`);
  }
};

const verbOf = (step: WriteStep): Refusal['verb'] => (step.step === 'prune' ? 'remove' : step.step);

const isAbout =
  (step: WriteStep) =>
  ({ verb, kind, name }: Refusal): boolean =>
    verb === verbOf(step) && kind === step.kind.kind && name === step.name;

const refusalOf = ({ refused }: Seen, step: WriteStep, { error, at }: { error: unknown; at: string }): Refusal => {
  const attempts = (refused.find(isAbout(step))?.attempts ?? 0) + 1;
  return { verb: verbOf(step), kind: step.kind.kind, name: step.name, reason: refusalReasonOf(error), attempts, at };
};

const goesAway = (step: WriteStep): boolean => step.step === 'remove' || step.step === 'prune';

/** Writes one child; tells what the API server objected to instead of rejecting. */
const attempt = async (context: Context, seen: Seen, step: WriteStep): Promise<Refused | undefined> => {
  const { log, now } = context;
  const fields = { key: seen.key, step: step.step, kind: step.kind.kind, name: step.name, reason: step.reason };
  try {
    await write(context, seen, step);
    log.debug(fields, 'child written');
    return undefined;
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    const refusal = refusalOf(seen, step, { error, at: instantOf(Math.round(now() * 1000)) });
    log.info({ ...fields, refused: refusal.reason, attempts: refusal.attempts, error }, 'write refused');
    return { refusal, retryAfterMs: error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0 };
  }
};

interface Refused {
  readonly refusal: Refusal;
  readonly retryAfterMs: number;
}

/**
 * Carries out the steps of a plan against the API server. Answers go into the caches at once, so that the next pass
 * sees them however late the watch is.
 *
 * Creations run before deletions; within each, requests overlap. What is refused does not stop what is under way.
 */
export const execute = async (context: Context, seen: Seen, steps: readonly Step[]): Promise<Execution> => {
  const writes = steps.filter((step) => step.step !== 'skip');
  const refusals: Refused[] = [];
  const unstarted: WriteStep[] = [];
  for (const phase of [writes.filter((step) => !goesAway(step)), writes.filter(goesAway)]) {
    const tasks = phase.map((step) => async () => {
      const refused = await attempt(context, seen, step);
      if (refused) refusals.push(refused);
      return !refused;
    });
    unstarted.push(...phase.slice(await inSlowStart(tasks)));
  }
  const stillRefused = seen.refused.filter((refusal) => unstarted.some((step) => isAbout(step)(refusal)));
  const refused = [...refusals.map(({ refusal }) => refusal), ...stillRefused];
  return {
    written: writes.length - unstarted.length - refusals.length,
    refused: refused.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    retryAfterMs: Math.max(0, ...refusals.map((it) => it.retryAfterMs)),
  };
};
