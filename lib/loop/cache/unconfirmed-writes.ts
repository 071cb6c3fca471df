import { compareResourceVersions } from '#lib/kube/interface/resource-version.ts';
import type { Key } from '#lib/loop/context/key.ts';

interface Written {
  readonly key: Key;
  readonly namespace: string | undefined;
  readonly version: string;
}

/**
 * Own writes that have not come back through the watch. A watch that is filtered by label never delivers an object that does
 * not match, so the cache would keep the written object for ever.
 */
export class UnconfirmedWrites {
  readonly #written = new Map<string, Written>();

  /** An answer to a write was taken. */
  add(uid: string, written: Written): void {
    this.#written.set(uid, written);
  }

  /** The watch brought the object, or it is known otherwise that it is gone. */
  delete(uid: string): void {
    this.#written.delete(uid);
  }

  /**
   * Records that the watch has passed a version.
   *
   * @param isCovered - which namespaces that is about
   * @returns the objects that it should have brought before, and has not
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
