import type { ResourceMeta } from '#lib/desired/definition.ts';
import type { Revision, SteeringAnswer, SteeringEdit, SteeringOrder, SteeringVerb } from '#lib/desired/steering.ts';
import { COMMAND_ANNOTATION } from './engine/decide/command.ts';
import type { RolloutStatus } from './engine/state/memory.ts';
import { modeOf } from './engine/state/mode.ts';
import { isPausedBy, pauses, pausesForCommand } from './engine/state/pauses.ts';

/** The fields of a resource that {@link steerRollout} reads. */
export interface SteeredRollout {
  readonly metadata: Pick<ResourceMeta, 'name'>;
  readonly spec: { readonly paused: boolean };
  readonly status?: Partial<RolloutStatus>;
}

/** The parts of the command `undo` that differ between the kinds. */
export interface SteeringAdapter {
  /** The name of a revision for users. */
  readonly versionOf: (revision: Revision) => string;
  /** The edits of the spec that request a revision. */
  readonly undo: (revision: Revision) => readonly SteeringEdit[];
}

type Answer = SteeringAnswer<SteeredRollout>;

const refused = (why: string): Answer => ({ refused: why });

const setPaused = (rollout: SteeredRollout, paused: boolean): Answer => ({
  edits: rollout.spec.paused === paused ? [] : [{ path: ['spec', 'paused'], value: paused }],
  says: `${rollout.spec.paused === paused ? 'is already' : 'is'} ${paused ? 'paused' : 'going on'}`,
});

const command = (verb: string, { id }: SteeringOrder, canaryHash: string): Answer => ({
  edits: [
    {
      path: ['metadata', 'annotations', COMMAND_ANNOTATION],
      value: JSON.stringify({ id, verb, revision: canaryHash }),
    },
  ],
  says: verb,
  outcomeIn: ({ status }) => {
    const { lastCommand } = status ?? {};
    if (lastCommand?.id !== id) return undefined;
    return { isDone: lastCommand.outcome !== 'Refused', message: lastCommand.reason };
  },
});

/**
 * The reason to refuse a command at once; `undefined` if there is none. The engine checks the command again, but only in its next
 * pass.
 */
const objection = (verb: SteeringVerb, { status = {}, spec }: SteeredRollout): string | undefined => {
  const isUnderWay = modeOf(status) === 'stepping';
  if (verb === 'retry') {
    if (modeOf(status) === 'aborted' || (isUnderWay && isPausedBy(status, pauses.deadline))) return undefined;
    return 'no version was aborted: there is nothing to retry';
  }
  if (!isUnderWay) return 'no rollout is under way';
  if (verb !== 'promote' || pausesForCommand(status).length > 0) return undefined;
  return spec.paused
    ? 'it is paused by spec.paused: resume it'
    : 'it does not wait for a person: skip ends a step early, promote --full goes to the end';
};

const isMeant = (revision: Revision, to: string, { versionOf }: SteeringAdapter): boolean =>
  revision.hash === to || versionOf(revision) === to;

/**
 * The revision that `undo` requests if the user names none; `undefined` if there is none. If the current version is not the
 * stable one, the result is the stable revision. Otherwise, the result is the last promoted revision before the current one, or
 * else the newest other revision.
 */
const oneBefore = ({ status = {} }: SteeredRollout, { revisions }: SteeringOrder): Revision | undefined => {
  const { stableHash, canaryHash, history = [] } = status;
  if (stableHash !== undefined && stableHash !== canaryHash) return revisions.find(({ hash }) => hash === stableHash);
  const promoted = history.filter(({ outcome, hash }) => outcome === 'Promoted' && hash !== canaryHash);
  const last = revisions.find(({ hash }) => hash === promoted.at(-1)?.hash);
  return last ?? revisions.findLast(({ hash }) => hash !== canaryHash);
};

const undo = (rollout: SteeredRollout, order: SteeringOrder, adapter: SteeringAdapter): Answer => {
  const { to, revisions } = order;
  const found = to === undefined ? oneBefore(rollout, order) : revisions.find((each) => isMeant(each, to, adapter));
  if (found !== undefined)
    return { edits: adapter.undo(found), says: `asks for version ${adapter.versionOf(found)} again` };
  const known = revisions.map(adapter.versionOf).join(', ');
  return refused(
    to === undefined
      ? 'there is no version before this one'
      : `there is no version "${to}"; known are ${known === '' ? 'none' : known}`,
  );
};

/** Returns the edits that make a rollout execute a command of a user, or the reason to refuse the command. */
export const steerRollout = (rollout: SteeredRollout, order: SteeringOrder, adapter: SteeringAdapter): Answer => {
  const { verb } = order;
  switch (verb) {
    case 'pause':
      return setPaused(rollout, true);
    case 'resume':
      return setPaused(rollout, false);
    case 'undo':
      return undo(rollout, order, adapter);
    case 'promote':
    case 'skip':
    case 'promote-full':
    case 'abort':
    case 'retry': {
      const why = objection(verb, rollout);
      return why === undefined ? command(verb, order, rollout.status?.canaryHash ?? '') : refused(why);
    }
  }
};
