import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FileHashes } from './messages.ts';
import { hashOf } from './sources.ts';

/** Saving is many events: so long after the last one it is over, in milliseconds. */
const SETTLE_MS = 30;

/** Where something writes all the time, it is looked all the same, after so many milliseconds. */
const AT_MOST_MS = 300;

/** Files that were saved. */
export interface Saved {
  /** Paths, sorted. */
  readonly files: readonly string[];
  /** When the first of them was seen to change, as `performance.now()` counts. */
  readonly at: number;
}

interface WatchedFolder {
  readonly watcher: FSWatcher;
  /** Tells a folder from another one that took its place. */
  readonly inode: number;
}

const inodeOf = (folder: string): number | undefined => statSync(folder, { throwIfNoEntry: false })?.ino;

/** The folder, or the nearest above it that is there: it will be told when the next one is made. */
const nearest = (folder: string): string =>
  inodeOf(folder) !== undefined || dirname(folder) === folder ? folder : nearest(dirname(folder));

/**
 * Watches files by what they hold.
 *
 * Folders are watched, not files: editors that write a new file and rename it, git, and files that are not there yet are all seen.
 * A file counts as saved only when it holds something else than before.
 */
export class FileWatch {
  readonly #folders = new Map<string, WatchedFolder>();
  readonly #onError: (error: unknown) => void;
  #hashes = new Map<string, string>();
  #saved: Saved | undefined;
  #waiting = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  #firstAt = 0;

  /** @param onError - told why a folder cannot be watched */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /**
   * Watches these files from now on, and no others.
   *
   * @param files - what was read of each: one that holds something else by now counts as saved
   */
  watch(files: FileHashes): void {
    this.#hashes = new Map(Object.entries(files));
    this.take();
    this.#watchFolders();
    this.#seen();
  }

  /** Resolves when something was saved that {@link take} has not told yet. */
  async untilSaved(): Promise<void> {
    while (this.#saved === undefined) await this.#waiting.promise;
  }

  /** What was saved, once. */
  take(): Saved | undefined {
    const saved = this.#saved;
    if (saved !== undefined) this.#waiting = Promise.withResolvers();
    this.#saved = undefined;
    return saved;
  }

  /** Watches nothing any more. */
  close(): void {
    clearTimeout(this.#timer);
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #seen(): void {
    const now = performance.now();
    this.#firstAt ||= now;
    clearTimeout(this.#timer);
    const delay = Math.min(SETTLE_MS, this.#firstAt + AT_MOST_MS - now);
    this.#timer = setTimeout(() => this.#look(), Math.max(0, delay));
  }

  #look(): void {
    this.#watchFolders();
    const files = new Set(this.#saved?.files);
    for (const [path, before] of this.#hashes) {
      const now = hashOf(path);
      if (now !== before) files.add(path);
      this.#hashes.set(path, now);
    }
    const at = this.#saved?.at ?? this.#firstAt;
    this.#firstAt = 0;
    if (files.size === 0) return;
    this.#saved = { files: [...files].toSorted(), at };
    this.#waiting.resolve();
  }

  #watchFolders(): void {
    const wanted = new Set([...this.#hashes.keys()].map((path) => nearest(dirname(path))));
    for (const [folder, { watcher, inode }] of this.#folders) {
      if (wanted.has(folder) && inodeOf(folder) === inode) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of wanted) if (!this.#folders.has(folder)) this.#add(folder);
  }

  #add(folder: string): void {
    const inode = inodeOf(folder);
    if (inode === undefined) return;
    try {
      const watcher = watch(folder, (_, name) => {
        if (this.#isMeant(folder, name)) this.#seen();
      });
      watcher.on('error', this.#onError);
      this.#folders.set(folder, { watcher, inode });
    } catch (error) {
      this.#onError(error);
    }
  }

  /** What else is written beside the files is nobody's business; a folder that vanishes is told by its own name. */
  #isMeant(folder: string, name: string | null): boolean {
    if (name === null || name === basename(folder) || this.#hashes.has(join(folder, name))) return true;
    return ![...this.#hashes.keys()].some((path) => dirname(path) === folder);
  }
}
