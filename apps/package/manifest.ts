/** The parts of `package.json` that this knows about. */
export interface Manifest {
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
] as const;

/** Settings of the command that publishes, not fields of the manifest. */
const SETTINGS = new Set(['access', 'directory']);

/**
 * The manifest of the package as it is published. In the repository the doors are TypeScript files; what takes their place
 * stands in `publishConfig`, where pnpm looks for it, too.
 */
export const publishedManifest = (manifest: Manifest): Readonly<Record<string, unknown>> => {
  const { publishConfig } = manifest;
  const entries = Object.entries(publishConfig);
  return {
    ...Object.fromEntries(PUBLISHED.map((field) => [field, manifest[field]])),
    ...Object.fromEntries(entries.filter(([field]) => !SETTINGS.has(field))),
    publishConfig: Object.fromEntries(entries.filter(([field]) => SETTINGS.has(field) && field !== 'directory')),
  };
};
