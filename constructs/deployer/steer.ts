import { type SteeringAdapter, steerRollout } from '#constructs/rollout/steer.ts';
import type { Revision, SteeringEdit, SteeringOrder } from '#lib/desired/steering.ts';
import type { DeploymentSpec, StoredDeployer } from './schema.ts';
import { imageOf, templateOf, versionIn } from './template.ts';

/**
 * The value of the field `image` for a return to an earlier revision. Together with `version`, this value gives the image that
 * the container of the revision ran. If the current value gives this image, the result is the current value.
 */
const imageBefore = (ran: string, version: string, { image }: DeploymentSpec): string => {
  if (imageOf({ image, version }) === ran) return image;
  const untagged = ran.endsWith(`:${version}`) ? ran.slice(0, -version.length - 1) : ran;
  return imageOf({ image: untagged, version }) === ran ? untagged : ran;
};

/** The labels of a template that come from `spec.deployment.labels`. A label `app` with another value than the name is one. */
const labelsBefore = ({ metadata }: Revision['template'], deployment: DeploymentSpec, version: string) => {
  const added = templateOf({ ...deployment, version, labels: {} }).metadata?.labels ?? {};
  return Object.fromEntries(Object.entries(metadata?.labels ?? {}).filter(([name, value]) => added[name] !== value));
};

const undoOf =
  (deployment: DeploymentSpec): SteeringAdapter['undo'] =>
  ({ template, hash }): readonly SteeringEdit[] => {
    const version = versionIn(template) ?? hash;
    const ran = template.spec?.containers[0]?.image ?? deployment.image;
    return [
      { path: ['spec', 'deployment', 'version'], value: version },
      { path: ['spec', 'deployment', 'image'], value: imageBefore(ran, version, deployment) },
      { path: ['spec', 'deployment', 'labels'], value: labelsBefore(template, deployment, version) },
    ];
  };

/** Returns the field edits that execute a command of a user on a Deployer, or the reason why the command is refused. */
export const steerDeployer = (deployer: StoredDeployer, order: SteeringOrder) =>
  steerRollout(deployer, order, {
    versionOf: ({ template, hash }) => versionIn(template) ?? hash,
    undo: undoOf(deployer.spec.deployment),
  });
