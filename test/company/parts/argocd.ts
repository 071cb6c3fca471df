import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { oneApplication } from '#test/company/argocd/installing.ts';
import { newVersion } from '#test/company/argocd/new-version.ts';
import { removeAll } from '#test/company/argocd/removal.ts';
import { rollouts } from '#test/company/argocd/rollouts.ts';
import { inScene, type Scene } from '#test/company/argocd/scene.ts';
import { provideArgoCd } from '#test/company/gitops/build-argo-cd.ts';
import type { Part } from '#test/company/part.ts';
import { missingPrograms } from '#test/company/programs.ts';

/** Programs that are no Go modules, with their names in Debian and in Homebrew. */
const PACKAGES = { 'redis-server': 'redis-server (Homebrew: redis)', jq: 'jq', git: 'git' } as const;

const isThere = (program: string): Promise<boolean> =>
  promisify(execFile)(program, ['--version']).then(
    () => true,
    () => false,
  );

const lacks = async (): Promise<string | undefined> => {
  for (const [program, name] of Object.entries(PACKAGES))
    if (!(await isThere(program))) return `"${program}" is not on the PATH: install the package ${name}`;
  return missingPrograms(provideArgoCd);
};

/** Two tests in one scene: the removal deletes what the releases left. */
const versionsThenRemoval = async (scene: Scene): Promise<string> =>
  `${await newVersion(scene)}; ${await removeAll(scene)}`;

/** Argo CD: its servers, and the Application that `init --gitops argocd` writes. */
export const part: Part = {
  lacks,
  cases: [
    { title: 'definitions, operator and resources in one Application', run: async () => inScene(oneApplication) },
    { title: 'rollouts that wait for a person', run: async () => inScene(rollouts) },
    { title: 'a new version, and the end of everything', run: async () => inScene(versionsThenRemoval) },
  ],
};
