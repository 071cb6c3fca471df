import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { SortedTable } from './table.ts';

/** A stored change, from which watches make their events. */
export interface StoredChange {
  readonly version: number;
  /** The object after the write. For a deletion, the last state of the object, with the version of the deletion. */
  readonly object: ServerObject;
  /** The object before the write; absent for a creation. */
  readonly previous?: ServerObject;
  readonly isDeletion: boolean;
}

/** The recent changes of one resource. */
export class ChangeHistory {
  readonly #limit: number;
  readonly #start: number;
  #forgotten = 0;
  #changes: StoredChange[] = [];

  /**
   * @param start - the version at which the resource was created. As with the real watch cache, no watch can begin at an earlier
   * version
   */
  constructor(start: number, limit: number) {
    this.#start = start;
    this.#limit = limit;
  }

  /** The earliest version at which watches can begin. */
  get beginning(): number {
    return Math.max(this.#start, this.#forgotten);
  }

  /** The earliest version at which the state can still be reconstructed. */
  get forgotten(): number {
    return this.#forgotten;
  }

  copy(): ChangeHistory {
    const copy = new ChangeHistory(this.#start, this.#limit);
    copy.#forgotten = this.#forgotten;
    copy.#changes = [...this.#changes];
    return copy;
  }

  add(change: StoredChange): void {
    this.#changes.push(change);
    // Old changes are dropped only when there are twice as many as the limit. Otherwise, every write would copy the whole list.
    if (this.#changes.length >= 2 * this.#limit) this.#dropFirst(this.#changes.length - this.#limit);
  }

  #dropFirst(count: number): void {
    this.#forgotten = Math.max(this.#forgotten, this.#changes[count - 1]?.version ?? 0);
    this.#changes = this.#changes.slice(count);
  }

  /** Drops the changes up to a version, except the last `keep` changes. */
  compact(version: number, keep: number): void {
    const later = this.#changes.findIndex((change) => change.version > version);
    const old = later < 0 ? this.#changes.length : later;
    const count = Math.min(old, Math.max(0, this.#changes.length - keep));
    if (count > 0) this.#dropFirst(count);
    if (count === old && keep === 0) this.#forgotten = Math.max(this.#forgotten, version);
  }

  since(version: number): readonly StoredChange[] {
    let start = this.#changes.length;
    while (start > 0 && (this.#changes[start - 1]?.version ?? 0) > version) start--;
    return this.#changes.slice(start);
  }

  /** Reconstructs the objects at `version` from the current objects (`now`), by undoing the later changes. */
  undo(now: readonly ServerObject[], version: number): readonly ServerObject[] {
    const changes = this.since(version);
    if (changes.length === 0) return now;
    const then = new SortedTable();
    for (const object of now) then.put(object);
    for (const { object, previous } of changes.toReversed()) {
      if (previous === undefined) then.remove(object);
      else then.put(previous);
    }
    return then.list();
  }
}
