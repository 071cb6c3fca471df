import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { Table } from './table.ts';

/** A write, as watches see it. */
export interface Change {
  readonly version: number;
  /** The object after the write; for a deletion its last state, with the version of the deletion. */
  readonly object: ServerObject;
  /** The object before the write; absent when it was created. */
  readonly previous?: ServerObject;
  readonly isDeletion: boolean;
}

/** What happened to the objects of one resource, up to a limit. */
export class History {
  readonly #limit: number;
  readonly #start: number;
  #forgotten = 0;
  #changes: Change[] = [];

  /** @param start - the version at which the resource came to be: no watch can begin before, as no watch cache did */
  constructor(start: number, limit: number) {
    this.#start = start;
    this.#limit = limit;
  }

  /** The version from which on watches can begin. */
  get beginning(): number {
    return Math.max(this.#start, this.#forgotten);
  }

  /** The version before which nothing can be told any more. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** A history of its own with the same changes. */
  copy(): History {
    const copy = new History(this.#start, this.#limit);
    copy.#forgotten = this.#forgotten;
    copy.#changes = [...this.#changes];
    return copy;
  }

  add(change: Change): void {
    this.#changes.push(change);
    // Trimmed in chunks, so that a long run does not move the whole log with every write.
    if (this.#changes.length >= 2 * this.#limit) this.#dropFirst(this.#changes.length - this.#limit);
  }

  #dropFirst(count: number): void {
    this.#forgotten = Math.max(this.#forgotten, this.#changes[count - 1]?.version ?? 0);
    this.#changes = this.#changes.slice(count);
  }

  /** Forgets what happened up to a version, but for the last so many changes. */
  compact(version: number, keep: number): void {
    const later = this.#changes.findIndex((change) => change.version > version);
    const old = later < 0 ? this.#changes.length : later;
    const count = Math.min(old, Math.max(0, this.#changes.length - keep));
    if (count > 0) this.#dropFirst(count);
    if (count === old && keep === 0) this.#forgotten = Math.max(this.#forgotten, version);
  }

  /** The changes after a version, oldest first. */
  since(version: number): readonly Change[] {
    let start = this.#changes.length;
    while (start > 0 && (this.#changes[start - 1]?.version ?? 0) > version) start--;
    return this.#changes.slice(start);
  }

  /** The objects as they were at a version, made of those there are now. */
  undo(now: readonly ServerObject[], version: number): readonly ServerObject[] {
    const changes = this.since(version);
    if (changes.length === 0) return now;
    const then = new Table();
    for (const object of now) then.put(object);
    for (const { object, previous } of changes.toReversed()) {
      if (previous === undefined) then.remove(object);
      else then.put(previous);
    }
    return then.list();
  }
}
