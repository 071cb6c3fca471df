/** The parts of `package.json` that this knows about. */
export interface PackageManifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly publishConfig: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** What users of the package, and registries, need to know of it; scripts and tools for its development are left behind. */
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

/** A peer that this repository installs for itself, such as cdk8s-plus-27, remains a peer for users: they choose it. */
const publishedDependencies = ({ dependencies, peerDependencies }: PackageManifest): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(dependencies).filter(([name]) => !(name in peerDependencies)));

/**
 * The manifest of the published package. In the repository the entry points are TypeScript files; `publishConfig` has the
 * values that replace them, as pnpm uses it, too.
 */
export const publishedManifest = (manifest: PackageManifest): Readonly<Record<string, unknown>> => {
  // Settings of the command that publishes, not fields of the manifest; the folder is where the published one lies already.
  const { access, directory: _, ...doors } = manifest.publishConfig;
  return {
    ...Object.fromEntries(PUBLISHED.map((field) => [field, manifest[field]])),
    dependencies: publishedDependencies(manifest),
    ...doors,
    publishConfig: { access },
  };
};
