import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The version of the modules of Kubernetes whose types the clusters in memory have. */
export const modulesVersion = 'v0.36.4';

/** Go packages of types by their short name. A build of the control plane puts the packages into Go's module cache. */
export const goPackages: Readonly<Record<string, string>> = {
  'meta.v1': `apimachinery@${modulesVersion}/pkg/apis/meta/v1`,
  'apiextensions.v1': `apiextensions-apiserver@${modulesVersion}/pkg/apis/apiextensions/v1`,
  ...Object.fromEntries(
    [
      'core.v1',
      'apps.v1',
      'admissionregistration.v1',
      'authentication.v1',
      'authorization.v1',
      'autoscaling.v1',
      'autoscaling.v2',
      'batch.v1',
      'coordination.v1',
      'discovery.v1',
      'events.v1',
      'networking.v1',
      'policy.v1',
      'rbac.v1',
      'scheduling.v1',
      'storage.v1',
    ].map((name) => [name, `api@${modulesVersion}/${name.replace('.', '/')}`]),
  ),
};

/** The text of a file of a package, such as `types.go`. */
export const goText = async (name: string, file: string): Promise<string> =>
  readFile(join(homedir(), 'go/pkg/mod/k8s.io', goPackages[name] ?? '', file), 'utf8');
