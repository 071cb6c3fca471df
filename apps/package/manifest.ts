/** The content of `package.json`, with the types of the fields that this module changes. */
export interface PackageManifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly publishConfig: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** The fields that the published `package.json` has unchanged, except `dependencies`. */
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
 * The repository has its peer dependencies, such as cdk8s-plus-27, also in `dependencies`. Users choose their versions
 * themselves.
 */
const publishedDependencies = ({ dependencies, peerDependencies }: PackageManifest): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(dependencies).filter(([name]) => !(name in peerDependencies)));

/**
 * Makes the `package.json` of the published package. As in pnpm, the values in `publishConfig` replace fields. For example, the
 * entry points are TypeScript files in the repository, and JavaScript files in the package.
 */
export const publishedManifest = (manifest: PackageManifest): Readonly<Record<string, unknown>> => {
  // `access` and `directory` are settings for the publishing command, and not fields of `package.json`.
  const { access, directory: _, ...publishedFields } = manifest.publishConfig;
  return {
    ...Object.fromEntries(PUBLISHED.map((field) => [field, manifest[field]])),
    dependencies: publishedDependencies(manifest),
    ...publishedFields,
    publishConfig: { access },
  };
};
