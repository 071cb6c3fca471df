import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleOperator } from '#apps/bundle.ts';
import { writeOciImage } from '#lib/cli/verbs/image/write-oci-image.ts';
import { makeScratch, removeLeftovers } from '#test/control-plane/scratch.ts';

/** An image layout, and the digest of its only image. */
export interface OperatorImage {
  readonly layout: string;
  readonly digest: string;
}

const PREFIX = 'cdk8s-reconcile-image';

/**
 * Writes the image of the operator, as `cdk8s-reconcile image --oci` does without Docker, into a folder that is removed when
 * this process ends.
 *
 * @param version - part of the digest
 */
export const writeOperatorImage = async (version = '0.1.0'): Promise<OperatorImage> => {
  await removeLeftovers(tmpdir(), PREFIX);
  const folder = await makeScratch(tmpdir(), PREFIX);
  const bundle = join(folder, 'bundle');
  await bundleOperator(bundle);
  const layout = join(folder, 'layout');
  const { digest } = await writeOciImage({
    bundle,
    reference: `registry.example.com/cdk8s-reconcile/operator:${version}`,
    title: 'cdk8s-reconcile operator',
    version,
    platforms: ['linux/amd64'],
    // From packages, also where a registry responds, so that the tests are the same everywhere.
    base: 'debian',
    oci: layout,
    env: process.env,
  });
  return { layout, digest };
};
