import { Yaml } from 'cdk8s';
import { kubectl } from '#test/company/gitops/flux.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { untilAt } from './application.ts';
import { imageOf } from './bundle.ts';
import type { ReleaseName } from './kinds.ts';
import { LETTER, LOCKER, NEWER_LETTER } from './resources.ts';
import { applyApplication, giveScripts, pushRelease, type Scene } from './scene.ts';

const seconds = (sinceMs: number): number => Math.round((Date.now() - sinceMs) / 1000);

/** Commits a release and its resources for the existing Application. @returns seconds until it is Healthy */
const release = async (scene: Scene, name: ReleaseName, resources: readonly object[]): Promise<number> => {
  const { plane, pods } = scene;
  const began = Date.now();
  const commit = await pushRelease(scene, name, Yaml.stringify(...resources));
  await untilAt(plane, { commit });
  const tookS = seconds(began);
  await waitFor(
    `the pods of release ${name} alone`,
    async () => {
      const images = new Set(pods.images());
      return images.size === 1 && images.has(imageOf(name));
    },
    { pollMs: 250 },
  );
  return tookS;
};

/** @throws {Error} when a letter does not have the expected contents in a version */
const assertReads = async ({ plane }: Scene, version: string, path: string): Promise<void> => {
  const seen = await kubectl(plane, [
    'get',
    `letters.${version}.demo.example.com`,
    'first',
    '-o',
    `jsonpath={.apiVersion} {${path}}`,
  ]);
  if (seen !== `demo.example.com/${version} hello`) throw new Error(`The letter in ${version} reads ${seen}`);
};

/** Adds a version with functions in two releases, each of them one commit. */
export const newVersion = async (scene: Scene): Promise<string> => {
  const { pods, plane } = scene;
  const commit = await pushRelease(scene, 'one', Yaml.stringify(LETTER, LOCKER));
  await giveScripts(scene);
  await applyApplication(scene);
  pods.pull();
  await untilAt(plane, { commit });
  const servedS = await release(scene, 'served', [LETTER, LOCKER]);
  await assertReads(scene, 'v1alpha1', '.spec.text');
  await assertReads(scene, 'v1beta1', '.spec.body');
  const storedS = await release(scene, 'stored', [LETTER, LOCKER, NEWER_LETTER]);
  await assertReads(scene, 'v1alpha1', '.spec.text');
  await assertReads(scene, 'v1beta1', '.spec.body');
  return `served after ${servedS} s, stored after ${storedS} s, each by one commit`;
};
