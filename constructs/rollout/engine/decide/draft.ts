import type { CheckAnswer, CheckPoint, CheckRequest, Milestone } from '#constructs/rollout/engine/checks.ts';
import type { RolloutMemory } from '#constructs/rollout/engine/state/memory.ts';
import { pauseRollout } from '#constructs/rollout/engine/state/pauses.ts';
import { type RolloutSituation, revisionWith, versionOf } from '#constructs/rollout/engine/state/situation.ts';
import { currentStep } from '#constructs/rollout/engine/state/steps.ts';
import type { DesiredEvent, Effect } from '#lib/desired/result/desired.ts';
import type { TemplateCheck } from '#lib/workload/template-check.ts';
import { abort } from './transitions.ts';

/** The decisions, effects and events of a pass so far. */
export interface Draft {
  readonly memory: RolloutMemory;
  readonly effects: readonly Effect[];
  readonly events: readonly DesiredEvent[];
  /** The answer at the last point at which checks ran, except `Event`. */
  readonly answer?: Pick<CheckAnswer, 'verdict' | 'reason' | 'message'>;
  /** The dry run of the requested version. Present only while the result is unknown or a refusal. */
  readonly admission?: TemplateCheck;
}

/** The start of the current or else the last rollout, and whether the history has another rollout of the same revision. */
const rolloutRunOf = ({
  canaryHash,
  history = [],
  ...memory
}: RolloutMemory): Pick<CheckRequest, 'startedAt' | 'isRepeat'> => {
  const startedAt = memory.startedAt ?? history.at(-1)?.startedAt;
  if (startedAt === undefined) return {};
  return { startedAt, isRepeat: history.some((past) => past.hash === canaryHash && past.startedAt !== startedAt) };
};

const requestOf = (
  { memory }: Draft,
  situation: RolloutSituation,
  { hook, milestones = [] }: { readonly hook: CheckPoint; readonly milestones?: readonly Milestone[] },
): CheckRequest => {
  const { adapter, metadata, outcomes, clock } = situation;
  const { stepReadyAt, sleepUntil, analysis = [] } = memory;
  const { step, index } = currentStep(adapter.settings, memory);
  const stable = revisionWith(situation, memory.stableHash);
  return {
    hook,
    rollout: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
    ...(stable === undefined ? {} : { stable }),
    canary: revisionWith(situation, memory.canaryHash) ?? adapter.requested,
    versionOf: (hash) => versionOf(situation, hash),
    stepIndex: index,
    percent: step.percent,
    ...rolloutRunOf(memory),
    ...(stepReadyAt === undefined ? {} : { stepReadyAt }),
    ...(sleepUntil === undefined ? {} : { sleepUntil }),
    analysis,
    outcomes,
    clock,
    milestones,
  };
};

const withAnswer = (draft: Draft, { analysis, effects, events, ...answer }: CheckAnswer): Draft => ({
  ...draft,
  memory: analysis.length === 0 && draft.memory.analysis === undefined ? draft.memory : { ...draft.memory, analysis },
  effects: [...draft.effects, ...effects],
  events: [...draft.events, ...events],
  answer,
});

/** Runs the checks at the point `Event` with the milestones. Their verdict does not affect the rollout. */
export const runEventChecks = (draft: Draft, situation: RolloutSituation, milestones: readonly Milestone[]): Draft => {
  const { answer: _, ...rest } = withAnswer(
    draft,
    situation.adapter.checks(requestOf(draft, situation, { hook: 'Event', milestones })),
  );
  return draft.answer === undefined ? rest : { ...rest, answer: draft.answer };
};

/** Whether the start of the rollout is stored. Keys of effects can contain the start, so no effect is requested before. */
const isBegun = ({ startedAt }: RolloutMemory, { stored }: RolloutSituation): boolean => startedAt === stored.startedAt;

/** Runs the checks at a point of the rollout, and records their answer without applying the verdict. */
export const runRolloutChecks = (draft: Draft, situation: RolloutSituation, hook: CheckPoint): Draft => {
  const answer = situation.adapter.checks(requestOf(draft, situation, { hook }));
  return withAnswer(draft, isBegun(draft.memory, situation) ? answer : { ...answer, effects: [] });
};

/** Runs the checks at a point of the rollout, and applies their verdict. */
export const applyRolloutChecks = (draft: Draft, situation: RolloutSituation, hook: CheckPoint): Draft => {
  const next = runRolloutChecks(draft, situation, hook);
  const { verdict, reason = '' } = next.answer ?? {};
  if (verdict === 'pause') return { ...next, memory: pauseRollout(next.memory, situation, reason) };
  if (verdict === 'abort') return { ...next, memory: abort(next.memory, situation, reason) };
  return next;
};

/** Runs the checks at several points, one after the other, until one of them does not pass. */
export const applyChecksInTurn = (
  draft: Draft,
  situation: RolloutSituation,
  hooks: readonly CheckPoint[],
): { readonly draft: Draft; readonly passed: boolean } => {
  let next = draft;
  for (const hook of hooks) {
    next = applyRolloutChecks(next, situation, hook);
    if (next.answer?.verdict !== 'pass') return { draft: next, passed: false };
  }
  return { draft: next, passed: true };
};
