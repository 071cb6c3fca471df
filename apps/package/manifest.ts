/** The fields of `package.json` that this module reads. */
export interface PackageManifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly publishConfig: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** The fields of the published `package.json`. Scripts and development tools are left out. */
const PUBLISHED = [
  'name',
  'version',
  'description',
  'license',
  'keywords',
  'type',
  'engines',
  'dependencies',
  'peerDependencies',
  'peerDependenciesMeta',
] as const;

/**
 * The dependencies without the peer dependencies. This repository also installs its peer dependencies, such as cdk8s-plus-27,
 * but users choose their versions themselves.
 */
const publishedDependencies = ({ dependencies, peerDependencies }: PackageManifest): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(dependencies).filter(([name]) => !(name in peerDependencies)));

/**
 * The `package.json` of the published package. In the repository, the entry points are TypeScript files. As in pnpm, the values
 * in `publishConfig` replace them.
 */
export const publishedManifest = (manifest: PackageManifest): Readonly<Record<string, unknown>> => {
  // `access` and `directory` are settings for the publishing command, and not fields of `package.json`.
  const { access, directory: _, ...doors } = manifest.publishConfig;
  return {
    ...Object.fromEntries(PUBLISHED.map((field) => [field, manifest[field]])),
    dependencies: publishedDependencies(manifest),
    ...doors,
    publishConfig: { access },
  };
};
