import type { Obstacle } from '#constructs/rollout/engine/adapter.ts';
import type { RolloutMemory } from './memory.ts';
import { childWith, liveChildren, type RolloutSituation, revisionWith } from './situation.ts';

/**
 * The obstacle when the Deployment of another revision has the name that the requested revision needs. A Deployment without
 * replicas is no obstacle, unless its revision is the stable one.
 */
const reused = (memory: RolloutMemory, situation: RolloutSituation): Obstacle | undefined => {
  const { requested } = situation.adapter;
  const holder = liveChildren(situation).find(({ name, hash }) => name === requested.name && hash !== requested.hash);
  if (holder === undefined || (holder.hash !== memory.stableHash && holder.replicas === 0)) return undefined;
  const message = `version ${requested.version} runs already with another template, as Deployment ${requested.name}; give the new template a version of its own`;
  return { reason: 'VersionReused', message };
};

/** Whether the template of the stable version is lost: neither a Deployment, nor a ControllerRevision, nor the spec has it. */
export const isLost = ({ stableHash }: RolloutMemory, situation: RolloutSituation): boolean =>
  stableHash !== undefined &&
  revisionWith(situation, stableHash) === undefined &&
  childWith(situation, stableHash) === undefined;

/** Whether any child Deployment has pods or requests them. */
export const isRunning = (situation: Pick<RolloutSituation, 'children'>): boolean =>
  situation.children.some(({ replicas, pods }) => replicas > 0 || pods > 0);

/**
 * The obstacle when the stable version is lost while another version runs. The other version may not have passed its checks, so
 * it gets no more pods until a person decides.
 */
const lost = (memory: RolloutMemory, situation: RolloutSituation): Obstacle | undefined => {
  if (!isLost(memory, situation) || !isRunning(situation)) return undefined;
  const { stableHash } = memory;
  const message = `the stable version ${stableHash} cannot be brought back: its Deployment and its ControllerRevision were deleted; ask for it again in spec`;
  return { reason: 'RevisionLost', message };
};

/**
 * The error that blocks a rollout: an error in the spec, a reused version, or a lost stable version. `undefined` if there is
 * none.
 */
export const obstacleIn = (memory: RolloutMemory, situation: RolloutSituation): Obstacle | undefined =>
  situation.adapter.obstacle ?? reused(memory, situation) ?? lost(memory, situation);

/** The name that a child Deployment needs, if an object of another owner has the name already; otherwise `undefined`. */
export const conflictingName = ({ refused }: Pick<RolloutSituation, 'refused'>): string | undefined =>
  refused.find(({ kind, reason }) => kind === 'Deployment' && reason === 'NameConflict')?.name;

/** Whether the API server refused a Deployment as invalid. */
export const isRefused = ({ refused }: Pick<RolloutSituation, 'refused'>): boolean =>
  refused.some(({ kind, reason }) => kind === 'Deployment' && reason === 'Invalid');
