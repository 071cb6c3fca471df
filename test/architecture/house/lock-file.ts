import type { Check } from './finding.ts';

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly resolved?: string }>>;
}

/** Packages that a lock file binds to a registry: installs must use the configured one. */
export const registryHosts: Check = ({ path, text }) => {
  const { packages } = JSON.parse(text) as LockFile;
  return Object.entries(packages).flatMap(([name, { resolved }]) =>
    resolved !== undefined && /^\w+(?:\+\w+)?:/.test(resolved) ? [`${path}: ${name} comes from ${resolved}`] : [],
  );
};
