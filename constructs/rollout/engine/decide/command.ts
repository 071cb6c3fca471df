import type { RolloutMemory, RolloutStatus } from '#constructs/rollout/engine/state/memory.ts';
import { modeOf } from '#constructs/rollout/engine/state/mode.ts';
import { isPausedBy, pauses, pausesForCommand, resume } from '#constructs/rollout/engine/state/pauses.ts';
import type { RolloutSituation } from '#constructs/rollout/engine/state/situation.ts';
import { currentStep, stepsOf } from '#constructs/rollout/engine/state/steps.ts';
import { shortHash } from '#lib/desired/canonical/canonical.ts';
import { parsedJson } from '#lib/json.ts';
import { isReached, nextStep, startStep } from './stepping.ts';
import { abort, beginAgain, leaveStep } from './transitions.ts';

/** The annotation by which users send a command to a rollout. */
export const COMMAND_ANNOTATION = 'deploy.example.com/command';

interface Command {
  readonly id: string;
  readonly verb: string;
  readonly revision: string;
}

interface Result {
  readonly memory: RolloutMemory;
  readonly outcome: NonNullable<RolloutStatus['lastCommand']>['outcome'];
  readonly reason: string;
}

/** Maximum length of each member of a command. The rest of the member is cut off. */
const SHOWN = 63;

const textIn = (value: unknown, name: string): string | undefined => {
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof member === 'string' && member !== '' ? member.slice(0, SHOWN) : undefined;
};

/** Parses a command. An invalid command gets its hash as id, so that the operator reports the command only once. */
const commandIn = (annotation: string): Command => {
  const value = parsedJson(annotation);
  const [id, verb, revision] = [textIn(value, 'id'), textIn(value, 'verb'), textIn(value, 'revision')];
  if (id === undefined || verb === undefined || revision === undefined)
    return { id: shortHash(annotation, 10), verb: 'unknown', revision: '' };
  return { id, verb, revision };
};

const executed = (memory: RolloutMemory, reason: string): Result => ({ memory, outcome: 'Executed', reason });
const refused = (memory: RolloutMemory, reason: string): Result => ({ memory, outcome: 'Refused', reason });

const promoteStep = (memory: RolloutMemory, situation: RolloutSituation): Result => {
  const waiting = pausesForCommand(memory);
  if (modeOf(memory) !== 'stepping' || waiting.length === 0) return refused(memory, 'NotPaused');
  const resumed = resume(memory, waiting);
  if (memory.stepStartedAt === undefined) return executed(startStep(resumed, situation), 'StepStarted');
  if (memory.stepReadyAt === undefined)
    return executed({ ...resumed, progressAt: situation.clock.now() }, 'DeadlineExtended');
  if (currentStep(situation.adapter.settings, memory).isLast && !isReached(memory, situation))
    return refused(memory, 'PodsNotAvailable');
  return executed(nextStep(resumed, situation), 'StepPromoted');
};

const promoteFully = (memory: RolloutMemory, situation: RolloutSituation): Result => {
  if (modeOf(memory) !== 'stepping') return refused(memory, 'NothingToPromote');
  const currentStepIndex = stepsOf(situation.adapter.settings).length - 1;
  const last = { ...leaveStep(resume(memory, pausesForCommand(memory))), currentStepIndex, fullPromotion: true };
  return executed(startStep(last, situation), 'FullPromotion');
};

const giveUp = (memory: RolloutMemory, situation: RolloutSituation): Result =>
  modeOf(memory) === 'stepping'
    ? executed(abort(memory, situation, 'Commanded'), 'RolloutAborted')
    : { memory, outcome: 'NoOp', reason: 'NothingToAbort' };

const retry = (memory: RolloutMemory, situation: RolloutSituation): Result => {
  const mode = modeOf(memory);
  if (mode !== 'aborted' && !(mode === 'stepping' && isPausedBy(memory, pauses.deadline)))
    return refused(memory, 'NotAborted');
  return executed(beginAgain(memory, situation), 'RolloutRestarted');
};

const skip = (memory: RolloutMemory, situation: RolloutSituation): Result => {
  if (modeOf(memory) !== 'stepping') return refused(memory, 'NothingToSkip');
  if (currentStep(situation.adapter.settings, memory).isLast) return refused(memory, 'LastStep');
  return executed(nextStep(resume(memory, pausesForCommand(memory)), situation), 'StepSkipped');
};

const verbs: Readonly<Record<string, (memory: RolloutMemory, situation: RolloutSituation) => Result>> = {
  promote: promoteStep,
  'promote-full': promoteFully,
  abort: giveUp,
  retry,
  skip,
};

const resultOf = ({ verb, revision }: Command, memory: RolloutMemory, situation: RolloutSituation): Result => {
  const execute = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (execute === undefined) return refused(memory, verb === 'unknown' ? 'Malformed' : 'UnknownVerb');
  if (revision !== memory.canaryHash) return refused(memory, 'StaleRevision');
  return execute(memory, situation);
};

/**
 * Executes the command in the annotation, unless its id is that of the last command. A command that does not fit the current
 * state is recorded, but has no effect, and is not executed later.
 */
export const executeCommand = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { annotations, annotationManagers } = situation.metadata;
  const annotation = annotations[COMMAND_ANNOTATION];
  if (annotation === undefined) return memory;
  const command = commandIn(annotation);
  if (command.id === memory.lastCommand?.id) return memory;
  const { outcome, reason, memory: next } = resultOf(command, memory, situation);
  const requester = annotationManagers[COMMAND_ANNOTATION];
  const { id, verb } = command;
  const at = situation.clock.now();
  return { ...next, lastCommand: { id, verb, outcome, reason, ...(requester ? { requester } : {}), at } };
};
