import type { Condition } from '#lib/desired/conditions.ts';
import { ApiError, NotLeadingError } from '#lib/errors.ts';
import type { JsonObject } from '#lib/json.ts';
import { type Context, memoryOf, remember } from '#lib/loop/context.ts';
import { statusEvents } from '#lib/loop/events/status-events.ts';
import { subjectOf } from '#lib/loop/events/subject.ts';
import { keyOf } from '#lib/loop/key.ts';
import type { Wanted } from './decision.ts';
import type { Execution } from './execute.ts';
import { fightState } from './fights.ts';
import { isOutdated } from './outdated.ts';
import type { Seen } from './seen.ts';
import { nextStatus, readyFlips, statusDiffers, statusPatch } from './status.ts';
import { paceAfter, type StatusMoment, untilStatusIsDue } from './status-pace.ts';
import { followsFromStatus, forgetStatus, noteStatus, restlessnessOf } from './status-unrest.ts';

/** What became of the status. */
export type Report =
  | { readonly status: 'written' | 'unchanged' }
  | { readonly status: 'failed'; readonly retryAfterMs: number }
  | { readonly status: 'later'; readonly afterMs: number };

/** What a pass wanted, and what became of it. */
export interface Pass {
  readonly wanted: Wanted;
  readonly execution: Execution;
}

/** So long passes may leave the status to the next one, in milliseconds: there may be a next one that writes, too, for ever. */
const UNREPORTED_MS = 250;

const mayLeaveIt = (context: Context, { key, resource }: Seen): boolean => {
  const { uid } = resource.metadata;
  const { unreportedSince = context.now() } = memoryOf(context, key, uid);
  remember(context, { key, uid }, { unreportedSince });
  return context.now() - unreportedSince < UNREPORTED_MS;
};

/** The status of the function and what is said of it; and until when it has to wait if it follows from the last one alone. */
const statusOf = (
  context: Context,
  seen: Seen,
  { wanted: { desired }, refused }: Pick<Pass, 'wanted'> & Pick<Execution, 'refused'>,
): { readonly next: JsonObject; readonly notBefore: number } => {
  const state = fightState(context, seen, refused) ?? desired.state;
  const next = nextStatus(seen, { ...desired, state }, refused);
  const restless = restlessnessOf(context, seen, next);
  if (!restless) return { next, notBefore: -Infinity };
  return { next: nextStatus(seen, { ...desired, state: restless.state }, refused), notBefore: restless.notBefore };
};

/**
 * Writes the status of a pass, unless nothing changed, children were written (the next pass sees them, for 250 ms), or it is too early:
 * progress is written every 250 ms, and Ready flips five times a minute. Tells people what the status says.
 */
export const reportStatus = async (context: Context, seen: Seen, { wanted, execution }: Pass): Promise<Report> => {
  const { done, refused, cut, current, outdated } = execution;
  if (!current || (outdated && refused.length === 0)) return { status: 'later', afterMs: 0 };
  if (done.length > 0 && refused.length === 0 && !cut && mayLeaveIt(context, seen))
    return { status: 'later', afterMs: 0 };
  remember(context, { key: seen.key, uid: seen.resource.metadata.uid }, { unreportedSince: undefined });
  const { next, notBefore } = statusOf(context, seen, { wanted, refused });
  if (!statusDiffers(seen, next)) {
    forgetStatus(context, seen);
    return { status: 'unchanged' };
  }
  const memory = memoryOf(context, seen.key, seen.resource.metadata.uid);
  const follows = followsFromStatus(context, seen);
  const restMs = follows ? notBefore - context.now() : 0;
  const waitMs = Math.max(untilStatusIsDue(memory, momentOf(context, seen, next)), restMs);
  if (waitMs > 0) return { status: 'later', afterMs: waitMs };
  const report = await writeStatus(context, seen, next);
  if (report.status === 'written') {
    tellOfStatus(context, seen, { wanted, refused, next });
    if (wanted.given?.readsStatus) noteStatus(context, seen, { given: wanted.given, next, follows });
  }
  return report;
};

interface WrittenStatus extends Pick<Execution, 'refused'>, Pick<Pass, 'wanted'> {
  readonly next: JsonObject;
}

/** Tells people what the status says that was not said before. */
const tellOfStatus = (
  { events, kind }: Context,
  { resource }: Seen,
  { wanted, refused, next }: WrittenStatus,
): void => {
  const change = {
    before: resource.status?.conditions ?? [],
    after: next['conditions'] as readonly Condition[],
    events: wanted.desired.events ?? [],
    refused: refused.length > 0,
  };
  statusEvents(change, subjectOf(kind, resource)).forEach(events);
};

const momentOf = ({ now }: Context, seen: Seen, next: JsonObject): StatusMoment => ({
  flips: readyFlips(seen, next),
  generation: seen.resource.metadata.generation,
  now: now(),
});

const writeStatus = async (context: Context, seen: Seen, next: JsonObject): Promise<Report> => {
  const { api, kind, fieldManager, resources, log, metrics } = context;
  const { name, namespace, uid } = seen.resource.metadata;
  try {
    const answer = await api.patchStatus(kind, { name, namespace }, statusPatch(seen, next), { fieldManager });
    resources.overlay(answer, { isOwnStatus: true });
    remember(
      context,
      { key: seen.key, uid },
      paceAfter(memoryOf(context, seen.key, uid), momentOf(context, seen, next)),
    );
    metrics.statusWritten();
    return { status: 'written' };
  } catch (error) {
    if (error instanceof NotLeadingError) throw error;
    const { httpStatus = 0, retryAfterMs = 0 } = error instanceof ApiError ? error : {};
    if (httpStatus === 404) {
      resources.overlayGone(keyOf(namespace, name), uid);
      return { status: 'unchanged' };
    }
    log[httpStatus === 409 ? 'debug' : 'info']({ key: seen.key, error }, 'status write failed');
    if (httpStatus === 409 && (await isOutdated(context, seen))) return { status: 'later', afterMs: 0 };
    return { status: 'failed', retryAfterMs };
  }
};
