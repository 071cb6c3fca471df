import { compareResourceVersions } from '#lib/kube/interface/resource-version.ts';
import type { Key } from '#lib/loop/context/key.ts';

interface Written {
  readonly key: Key;
  readonly namespace: string | undefined;
  readonly version: string;
}

/**
 * Our own writes that the watch has not delivered yet. A watch that filters by label never delivers an object that does not
 * match, so without this record the cache would keep the written object forever.
 */
export class UnconfirmedWrites {
  readonly #written = new Map<string, Written>();

  /** Records the response to a write that is now in the cache. */
  add(uid: string, written: Written): void {
    this.#written.set(uid, written);
  }

  /** Ends the record: the watch delivered the object, or another response shows that the object is gone. */
  delete(uid: string): void {
    this.#written.delete(uid);
  }

  /**
   * Records that the watch has passed a version.
   *
   * @param isCovered - whether the watch covers a namespace
   * @returns the objects that the watch should have delivered before this version, and has not
   */
  passed(version: string, isCovered: (namespace: string | undefined) => boolean): readonly { uid: string; key: Key }[] {
    const missing: { uid: string; key: Key }[] = [];
    for (const [uid, written] of this.#written) {
      if (!isCovered(written.namespace) || compareResourceVersions(written.version, version) > 0) continue;
      this.#written.delete(uid);
      missing.push({ uid, key: written.key });
    }
    return missing;
  }
}
