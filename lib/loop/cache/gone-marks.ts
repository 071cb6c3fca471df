import { isNewerVersion, isOlderVersion } from '#lib/kube/interface/resource-version.ts';

/** The objects of a resource that one watch covers: a namespace, or {@link EVERYTHING}. */
export type WatchScope = string;

/** The scope of a watch over all namespaces, or over a cluster-scoped resource. */
export const EVERYTHING: WatchScope = '';

/** Whether a scope includes the objects of a namespace; undefined for a cluster-scoped object. */
export const scopeCovers = (scope: WatchScope, namespace: string | undefined): boolean =>
  scope === EVERYTHING || scope === namespace;

/** A position in the order of the requests and responses of this process; later positions are greater. */
export type Moment = number;

/** The mark of an object that is gone according to a response, before the watch delivers the deletion event. */
export interface GoneMark {
  readonly namespace: string | undefined;
  /** The last known resource version of the object. */
  readonly version: string;
  /** True for the response to our own deletion; false for a 404, which a later event of the same object disproves. */
  readonly isCertain: boolean;
}

/**
 * Marks of objects that are gone although the watch has not delivered the deletion event yet. Late events of a marked object
 * are ignored, so that the object does not come back.
 *
 * Guarantees: a mark ends only with one of these proofs:
 * - the deletion event;
 * - a list without the object that is not older than the version in the mark;
 * - a list that is not older than this version, or a live get, if it began after the mark and contains the object;
 * - a list that is not older than this version, and shows an older version of the object: the storage was restored;
 * - any list of the scope after a restore of the storage (`forget`);
 * - an event with a newer version of the object, unless the response to our own deletion made the mark.
 */
export class GoneMarks {
  readonly #marks = new Map<string, GoneMark & { readonly at: Moment }>();
  readonly #listsBegan = new Map<WatchScope, Moment>();
  #now: Moment = 0;

  /** Returns a new position, later than all marks so far. */
  now(): Moment {
    this.#now += 1;
    return this.#now;
  }

  has(uid: string): boolean {
    return this.#marks.has(uid);
  }

  add(uid: string, mark: GoneMark): void {
    this.#marks.set(uid, { ...mark, at: this.now() });
  }

  /** Ends a mark. @returns false when the object had no mark */
  delete(uid: string): boolean {
    return this.#marks.delete(uid);
  }

  listBegins(scope: WatchScope): void {
    this.#listsBegan.set(scope, this.now());
  }

  /**
   * Ends the marks that a complete list disproves, and the marks of objects that the list confirms as deleted.
   *
   * @param list - `versions`: the resource versions of the listed objects, by uid
   */
  listed(
    scope: WatchScope,
    { versions, resourceVersion }: { readonly versions: ReadonlyMap<string, string>; readonly resourceVersion: string },
  ): void {
    const began = this.#listsBegan.get(scope) ?? 0;
    for (const [uid, { namespace, version, at }] of this.#marks) {
      // A list at an older resource version than the last known version of the object cannot show the deletion.
      if (!scopeCovers(scope, namespace) || isNewerVersion(version, resourceVersion)) continue;
      const shown = versions.get(uid);
      // An older version than before shows that a restore of the storage brought the object back.
      if (shown === undefined || at < began || isOlderVersion(shown, version)) this.#marks.delete(uid);
    }
  }

  /** Ends the mark of an object when an event shows a newer version of the object, unless the mark is certain. */
  shown(uid: string, resourceVersion: string): void {
    const mark = this.#marks.get(uid);
    if (mark && !mark.isCertain && isNewerVersion(resourceVersion, mark.version)) this.#marks.delete(uid);
  }

  /** Ends the mark of an object if a request that returned the object began after the mark. @returns whether a mark ended */
  readLive(uid: string, began: Moment): boolean {
    const mark = this.#marks.get(uid);
    return mark !== undefined && mark.at < began && this.#marks.delete(uid);
  }

  forget(scope: WatchScope): void {
    for (const [uid, { namespace }] of this.#marks) if (scopeCovers(scope, namespace)) this.#marks.delete(uid);
  }

  /** The marks, each as `uid@version`. */
  inspect(scope: WatchScope): readonly string[] {
    const marks = [...this.#marks].filter(([, { namespace }]) => scopeCovers(scope, namespace));
    return marks.map(([uid, { version }]) => `${uid}@${version}`);
  }
}
