import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import type { DeploymentSpec } from './schema.ts';

const VERSION_LABEL = 'version';

/** Whether an image has a tag or a digest. The colon of a port is no tag: `registry:5000/nginx` has no tag. */
const hasTagOrDigest = (image: string): boolean => image.includes('@') || (image.split('/').at(-1) ?? '').includes(':');

/**
 * The image of a version. The version becomes the tag, unless `image` has a tag or a digest.
 *
 * @example
 * imageOf({ image: 'nginx', version: '1.7.8' }); // 'nginx:1.7.8'
 * imageOf({ image: 'registry:5000/nginx:stable', version: '2' }); // 'registry:5000/nginx:stable'
 */
export const imageOf = ({ image, version }: Pick<DeploymentSpec, 'image' | 'version'>): string =>
  hasTagOrDigest(image) ? image : `${image}:${version}`;

/** The pod template of a version. A label of the user can replace the label `app`, but not the label `version`. */
export const templateOf = (deployment: DeploymentSpec): PodTemplateSpec => ({
  metadata: { labels: { app: deployment.name, ...deployment.labels, [VERSION_LABEL]: deployment.version } },
  spec: { containers: [{ name: deployment.name, image: imageOf(deployment) }] },
});

/** The version in the labels of a template; `undefined` without this label. */
export const versionIn = (template: PodTemplateSpec): string | undefined => template.metadata?.labels?.[VERSION_LABEL];

/** The name of the Deployment of a version: `<spec.deployment.name>-<version>`. */
export const deploymentName = (name: string, version: string): string => `${name}-${version}`;
