import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { refOf } from '#lib/kind/names.ts';
import { applyManifest, type Place, patch, reported, type Stage } from './stage.ts';

const place: Place = { resource: refOf(canaryRollout), short: 'canaryrollout', name: 'example-rollout' };

interface Status {
  readonly phase: string;
  readonly history?: readonly unknown[];
}

const promoted = async (stage: Stage, versions: number): Promise<void> =>
  reported<Status>(stage, place, ({ phase, history }) => phase === 'Healthy' && history?.length === versions);

/** Applies a rollout of two steps, and asks for another image. */
export const playRolloutLife = async (stage: Stage): Promise<void> => {
  await applyManifest(stage, 'apps/demo/canaryrollout.yaml');
  await promoted(stage, 1);
  await patch(stage, place, [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'nginx:1.29' }]);
  await promoted(stage, 2);
};
