import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { ownershipsOf } from '#lib/desired/marks/ownership.ts';

/** An object that is not shown, because its owner is not shown. */
export interface UnownedObject {
  readonly now: ServerObject;
  readonly before: undefined;
  readonly isInitial: boolean;
}

/**
 * The objects whose owners are not shown, by the uids of these owners. Lists of different kinds arrive in any order, so that an
 * object can arrive before its owner.
 */
export class UnownedObjects {
  readonly #byOwner = new Map<string, Map<string, UnownedObject>>();

  /** Adds an object. An object without an owner is left out. @param isInitial - whether the object existed before */
  add(now: ServerObject, isInitial: boolean): void {
    for (const { owner } of ownershipsOf(now)) {
      const children = this.#byOwner.get(owner.uid) ?? new Map<string, UnownedObject>();
      this.#byOwner.set(owner.uid, children.set(now.metadata.uid, { now, before: undefined, isInitial }));
    }
  }

  /** Removes an object. */
  delete(object: ServerObject): void {
    for (const { owner } of ownershipsOf(object)) {
      const children = this.#byOwner.get(owner.uid);
      if (children?.delete(object.metadata.uid) && children.size === 0) this.#byOwner.delete(owner.uid);
    }
  }

  /** Removes and returns the objects of an owner, in the order in which they were added. */
  take(owner: ServerObject): readonly UnownedObject[] {
    const children = [...(this.#byOwner.get(owner.metadata.uid)?.values() ?? [])];
    for (const { now } of children) this.delete(now);
    return children;
  }
}
