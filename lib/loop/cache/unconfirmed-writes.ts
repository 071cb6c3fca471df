import { compareResourceVersions } from '#lib/kube/interface/resource-version.ts';
import type { Key } from '#lib/loop/context/key.ts';

interface Written {
  readonly key: Key;
  readonly namespace: string | undefined;
  readonly version: string;
}

/**
 * Objects of responses that the watch has not delivered yet. A watch that filters by label never delivers an object that does not
 * match. Without this record, the cache would keep such an object forever.
 */
export class UnconfirmedWrites {
  readonly #written = new Map<string, Written>();

  /** Records an object of a response to a write or a live get, which is now in the cache. */
  add(uid: string, written: Written): void {
    this.#written.set(uid, written);
  }

  /** Ends the record of an object, because a list or an event of the watch contained the object. */
  delete(uid: string): void {
    this.#written.delete(uid);
  }

  /**
   * Records that the watch has passed a version.
   *
   * @param isCovered - whether the watch covers a namespace
   * @returns the objects that the watch should have delivered up to this version, and has not
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
