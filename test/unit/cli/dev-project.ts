import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { initProject } from '#lib/cli/verbs/init/run.ts';
import { repository } from '#test/architecture/repository.ts';

/** The resource in `site.yaml` of a project for `dev`. */
export const SITE =
  'apiVersion: web.acme.io/v1alpha1\nkind: Website\nmetadata: { name: example }\nspec: { text: Hello }\n';

/** Makes a project as `init` does, with a resource in `site.yaml`, and as if its packages were installed. */
export const makeDevProject = async (folder: string): Promise<void> => {
  await initProject({ folder, kind: 'Website', group: 'web.acme.io' });
  await mkdir(join(folder, 'node_modules'));
  await symlink(repository, join(folder, 'node_modules/cdk8s-reconcile'));
  await writeFile(join(folder, 'site.yaml'), SITE);
};
