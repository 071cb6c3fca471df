import { isOlderVersion } from '#lib/kube/interface/resource-version.ts';
import type { LeaseVersions } from './types.ts';

/** A lease that is older than it was. */
export interface OlderLease {
  readonly versions: LeaseVersions;
  /** When the newer one was last seen, by the clock that `see` was given. */
  readonly seenAtMs: number;
}

/**
 * The last observed version of the lease. Each version is read from the storage itself, so a version that is older than the one
 * before proves that the storage was restored from a backup.
 */
export class NewestLease {
  #last: { readonly version: string; readonly atMs: number } | undefined;

  /** @returns the proof; undefined when the lease is not older than before */
  see(shown: string, atMs: number): OlderLease | undefined {
    const before = this.#last;
    this.#last = { version: shown, atMs };
    if (before === undefined || !isOlderVersion(shown, before.version)) return undefined;
    return { versions: { seen: before.version, shown }, seenAtMs: before.atMs };
  }
}
