import type { Milestone } from '#constructs/rollout/engine/checks.ts';
import type { RolloutMemory, RolloutStatus } from '#constructs/rollout/engine/state/memory.ts';
import { modeOf, sidesOf } from '#constructs/rollout/engine/state/mode.ts';
import { isPaused, isPausedBy, pausesForCommand } from '#constructs/rollout/engine/state/pauses.ts';
import { liveChildren, type RolloutSituation, versionOf } from '#constructs/rollout/engine/state/situation.ts';
import { currentStep, stepsOf } from '#constructs/rollout/engine/state/steps.ts';
import type { DesiredEvent } from '#lib/desired/result/desired.ts';

interface Change {
  readonly before: RolloutMemory;
  readonly after: RolloutMemory;
  readonly situation: RolloutSituation;
}

const event = (reason: string, message: string, type: DesiredEvent['type'] = 'Normal'): DesiredEvent => ({
  type,
  reason,
  message,
});

const wholeSeconds = (at: string): string => at.replace(/\.\d+/, '');

const podsInWords = (count: number): string => `${count} ${count === 1 ? 'pod' : 'pods'}`;

const canaryIn = ({ after, situation }: Change): string => versionOf(situation, after.canaryHash ?? '');
const stableIn = ({ after, situation }: Change): string => versionOf(situation, after.stableHash ?? '');

const hasBegun = ({ before, after }: Change): boolean =>
  after.startedAt !== undefined && after.startedAt !== before.startedAt;

const isPromoted = ({ before, after }: Change): boolean =>
  after.promotedAt !== undefined && after.promotedAt !== before.promotedAt;

const isAborted = ({ before, after }: Change): boolean =>
  after.abortedAt !== undefined && before.abortedAt === undefined;

const hasArrived = ({ before, after }: Change): boolean =>
  modeOf(after) === 'stepping' && after.stepReadyAt !== undefined && before.stepReadyAt === undefined;

const beginning = (change: Change): readonly DesiredEvent[] => {
  if (!hasBegun(change)) return [];
  const { replicas } = change.situation.adapter.settings;
  const { after, situation } = change;
  const from = after.stableHash === undefined ? '' : ` in place of ${stableIn(change)}`;
  const skips = (after.currentStepIndex ?? 0) > 0 && modeOf(after) === 'stepping';
  return [
    event('RolloutStarted', `version ${canaryIn(change)} is rolled out${from}`),
    ...(replicas === 0 ? [event('ZeroReplicas', 'spec asks for no pods: the steps pass without any')] : []),
    ...(skips
      ? [
          event(
            'SkipSteps',
            `version ${canaryIn(change)} ran before: ${stepsOf(situation.adapter.settings).length - 1} steps are skipped`,
          ),
        ]
      : []),
  ];
};

const stepReached = (change: Change): string | undefined => {
  if (!hasArrived(change)) return undefined;
  const { settings } = change.situation.adapter;
  const { step, index } = currentStep(settings, change.after);
  return `${index + 1}/${stepsOf(settings).length} (${step.percent}%)`;
};

const stepping = (change: Change): readonly DesiredEvent[] => {
  const reached = stepReached(change);
  if (reached === undefined) return [];
  const { stepReadyAt, sleepUntil } = change.after;
  const sleeps = sleepUntil !== undefined && sleepUntil !== stepReadyAt;
  return [event('StepCompleted', sleeps ? `${reached}, sleeps until ${wholeSeconds(sleepUntil)}` : reached)];
};

const losing = ({ before, after, situation }: Change): readonly DesiredEvent[] => {
  const isForgotten = before.stableHash !== undefined && after.stableHash === undefined;
  if (!isForgotten) return [];
  const message = `the stable version ${before.stableHash} is gone with its Deployment and its ControllerRevision: version ${situation.adapter.requested.version}, which spec requests, replaces it, without steps`;
  return [event('RevisionLost', message, 'Warning')];
};

const goingBack = (change: Change): readonly DesiredEvent[] => {
  const { before, after } = change;
  const isBack = before.canaryHash !== after.canaryHash && after.canaryHash === after.stableHash && !isPromoted(change);
  if (!isBack || before.canaryHash === undefined) return [];
  return [event('SkipSteps', `back to version ${stableIn(change)}`)];
};

const ending = (change: Change): readonly DesiredEvent[] => [
  ...(isAborted(change)
    ? [event('RolloutAborted', `version ${canaryIn(change)} is given up: ${change.after.abortReason ?? ''}`, 'Warning')]
    : []),
  ...(isPromoted(change) ? [event('RolloutCompleted', `version ${stableIn(change)} is stable`)] : []),
];

const pausing = ({ before, after }: Change): readonly DesiredEvent[] => {
  const added = (after.pauseConditions ?? []).map(({ reason }) => reason).filter((it) => !isPausedBy(before, it));
  if (added.length > 0) return [event('RolloutPaused', added.toSorted().join(', '))];
  return isPaused(before) && !isPaused(after) && modeOf(after) !== 'aborted'
    ? [event('RolloutResumed', 'the rollout goes on')]
    : [];
};

const commanded = ({ before, after }: Change): readonly DesiredEvent[] => {
  const { lastCommand } = after;
  if (lastCommand === undefined || lastCommand.id === before.lastCommand?.id) return [];
  const { verb, outcome, reason } = lastCommand;
  return outcome === 'Refused'
    ? [event('CommandRefused', `${verb}: ${reason}`, 'Warning')]
    : [event('CommandExecuted', `${verb}: ${reason}`)];
};

const drifting = ({ before, after, situation }: Change): readonly DesiredEvent[] =>
  (after.driftedDeployments ?? [])
    .filter((name) => !(before.driftedDeployments ?? []).includes(name))
    .map((name) => {
      const { replicas, given } = situation.children.find((child) => child.name === name) ?? {};
      return event(
        'DriftCorrected',
        `${name} was scaled to ${replicas} by another client; this resource set ${given}`,
        'Warning',
      );
    });

const targetsIn = (memory: RolloutMemory, { adapter: { settings } }: RolloutSituation): ReadonlyMap<string, number> => {
  const replicas = memory.desiredReplicas ?? settings.replicas;
  const { stable, canary } = sidesOf({ ...settings, replicas }, memory);
  return new Map([stable, canary].flatMap((side) => (side === undefined ? [] : [[side.hash, side.replicas] as const])));
};

/**
 * The text is the same as in the classic operator. One event lists all new sizes of a decision, because the number of events
 * for an object is limited.
 */
const scaling = ({ before, after, situation }: Change): readonly DesiredEvent[] => {
  const [old, now] = [targetsIn(before, situation), targetsIn(after, situation)];
  const changes = liveChildren(situation).flatMap(({ hash, name, replicas }) => {
    const to = now.get(hash) ?? 0;
    const isSame = (old.get(hash) ?? 0) === to || replicas === to;
    return isSame ? [] : [`${name} from ${replicas} to ${to}`];
  });
  return changes.length === 0 ? [] : [event('ScalingDeployment', changes.join(', '))];
};

const coming = (before: Partial<RolloutStatus>, after: RolloutStatus): readonly DesiredEvent[] => {
  const old = new Set((before.deployments ?? []).map(({ name }) => name));
  const now = new Set(after.deployments.map(({ name }) => name));
  return [
    ...after.deployments
      .filter(({ name }) => !old.has(name))
      .map(({ name, replicas }) => event('DeploymentCreated', `${name} with ${podsInWords(replicas)}`)),
    ...[...old].filter((name) => !now.has(name)).map((name) => event('DeploymentDeleted', name)),
  ];
};

/** The changes of a pass that notifications report. */
export const milestonesOf = (change: Change): readonly Milestone[] => {
  const { before, after } = change;
  const waits = pausesForCommand(after).filter((reason) => !pausesForCommand(before).includes(reason));
  return [
    ...beginning(change)
      .slice(0, 1)
      .map(({ message }) => ({ sort: 'started' as const, message })),
    ...[stepReached(change)]
      .filter((message) => message !== undefined)
      .map((message) => ({ sort: 'step' as const, message })),
    ...waits.map((message) => ({ sort: 'paused' as const, message })),
    ...ending(change).map(({ reason, message }) =>
      reason === 'RolloutAborted' ? { sort: 'aborted' as const, message } : { sort: 'completed' as const, message },
    ),
  ];
};

/**
 * The events for the decisions of a pass, and for Deployments that were created or deleted since the last status. Checks and
 * container failures have events of their own.
 */
export const rolloutEventsOf = (
  change: Change,
  { before, after }: { readonly before: Partial<RolloutStatus>; readonly after: RolloutStatus },
): readonly DesiredEvent[] => [
  ...commanded(change),
  ...losing(change),
  ...beginning(change),
  ...goingBack(change),
  ...stepping(change),
  ...pausing(change),
  ...ending(change),
  ...drifting(change),
  ...scaling(change),
  ...coming(before, after),
];
