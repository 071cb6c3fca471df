import { isOlderVersion } from '#lib/kube/interface/resource-version.ts';
import type { LeaseVersions } from './types.ts';

/** A lease with an older version than an earlier observation. */
export interface OlderLease {
  readonly versions: LeaseVersions;
  /** The time of the last observation of the newer version, by the clock of the caller of `see`. */
  readonly seenAtMs: number;
}

/**
 * The last observed version of the lease. Responses for a lease show the stored state, and not a cached one. A version that is
 * older than the previous one therefore proves that the storage was restored from a backup.
 */
export class NewestLease {
  #last: { readonly version: string; readonly atMs: number } | undefined;

  /** @returns the evidence of a restore; undefined when the version is not older than before */
  see(shown: string, atMs: number): OlderLease | undefined {
    const before = this.#last;
    this.#last = { version: shown, atMs };
    if (before === undefined || !isOlderVersion(shown, before.version)) return undefined;
    return { versions: { seen: before.version, shown }, seenAtMs: before.atMs };
  }
}
