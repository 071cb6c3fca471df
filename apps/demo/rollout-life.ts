import { applyManifest, kubectl, reported, type Stage, show } from './stage.ts';

const place = { resource: 'deploy.example.com/v1alpha1/canaryrollouts', name: 'example-rollout' };

interface Status {
  readonly phase: string;
  readonly history?: readonly unknown[];
}

const promoted = async (stage: Stage, versions: number): Promise<void> =>
  reported<Status>(stage, place, ({ phase, history }) => phase === 'Healthy' && history?.length === versions);

/** Applies a rollout of two steps, asks for another image, and shows the Deployment that is left. */
export const playRolloutLife = async (stage: Stage): Promise<void> => {
  await applyManifest(stage, 'apps/demo/canaryrollout.yaml');
  await promoted(stage, 1);
  const patch = '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"nginx:1.29"}]';
  const args = ['patch', 'canaryrollout', place.name, '--type=json', '-p'];
  await kubectl(stage, { args: [...args, patch], shown: `${args.join(' ')} '${patch}'` });
  await promoted(stage, 2);
  await show(stage, 'get', 'canaryrollout,deployments');
};
