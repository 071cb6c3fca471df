import type { Obstacle } from './face.ts';
import type { Memory } from './memory.ts';
import { childWith, liveChildren, revisionWith, type Situation } from './situation.ts';

/** Another revision runs under the name that the asked one needs, and is still wanted. */
const reused = (memory: Memory, situation: Situation): Obstacle | undefined => {
  const { asked } = situation.face;
  const holder = liveChildren(situation).find(({ name, hash }) => name === asked.name && hash !== asked.hash);
  if (holder === undefined || (holder.hash !== memory.stableHash && holder.replicas === 0)) return undefined;
  const message = `version ${asked.version} runs already with another template, as Deployment ${asked.name}; give the new template a version of its own`;
  return { reason: 'VersionReused', message };
};

/** The stable version is gone, and so is what it was. */
const lost = ({ stableHash }: Memory, situation: Situation): Obstacle | undefined => {
  if (stableHash === undefined || revisionWith(situation, stableHash) !== undefined) return undefined;
  if (childWith(situation, stableHash) !== undefined) return undefined;
  const message = `the stable version ${stableHash} cannot be brought back: its Deployment and its ControllerRevision were deleted; ask for it again in spec`;
  return { reason: 'RevisionLost', message };
};

/** What keeps a rollout from doing anything until somebody acts. */
export const obstacleIn = (memory: Memory, situation: Situation): Obstacle | undefined =>
  situation.face.obstacle ?? reused(memory, situation) ?? lost(memory, situation);

/** A name of a Deployment that somebody else holds. */
export const heldName = ({ refused }: Pick<Situation, 'refused'>): string | undefined =>
  refused.find(({ kind, reason }) => kind === 'Deployment' && reason === 'NameConflict')?.name;

/** True when the API server finds a Deployment invalid that it was sent. */
export const isRefused = ({ refused }: Pick<Situation, 'refused'>): boolean =>
  refused.some(({ kind, reason }) => kind === 'Deployment' && reason === 'Invalid');
