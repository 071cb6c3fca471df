import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { FileHashes } from './messages.ts';
import { hashOf } from './sources.ts';

/** The time without an event after which a save is complete, in milliseconds. One save causes several events. */
const SETTLE_MS = 30;

/** Maximum wait while events continue, in milliseconds. */
const AT_MOST_MS = 300;

/** Watched files with changed content. */
export interface Saved {
  /** The paths of the files, sorted. */
  readonly files: readonly string[];
  /** The time of the first event, by `performance.now()`. */
  readonly at: number;
}

interface WatchedFolder {
  readonly watcher: FSWatcher;
  /** Distinguishes the folder from a new folder at the same path. */
  readonly inode: number;
}

const inodeOf = (folder: string): number | undefined => statSync(folder, { throwIfNoEntry: false })?.ino;

/** The folder itself, or its nearest existing parent. When a missing folder is created, its parent has an event. */
const nearest = (folder: string): string =>
  inodeOf(folder) !== undefined || dirname(folder) === folder ? folder : nearest(dirname(folder));

/**
 * Watches files by their content.
 *
 * The class watches folders and not files. For this reason, the class also detects new files, and files that editors or git
 * replace by renaming. A file counts as saved only when its content has changed.
 */
export class FileWatch {
  readonly #folders = new Map<string, WatchedFolder>();
  readonly #onError: (error: unknown) => void;
  #hashes = new Map<string, string>();
  #saved: Saved | undefined;
  #waiting = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  #firstAt = 0;

  /** @param onError - called with the error of a folder that cannot be watched */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /**
   * Watches only these files from now on.
   *
   * @param files - the hash of the known content of each file; a file with another hash counts as saved
   */
  watch(files: FileHashes): void {
    this.#hashes = new Map(Object.entries(files));
    this.take();
    this.#watchFolders();
    this.#seen();
  }

  /** Resolves when there are saved files that {@link take} has not returned yet. */
  async untilSaved(): Promise<void> {
    while (this.#saved === undefined) await this.#waiting.promise;
  }

  /** Returns the files that were saved since the last call; undefined if there are none. */
  take(): Saved | undefined {
    const saved = this.#saved;
    if (saved !== undefined) this.#waiting = Promise.withResolvers();
    this.#saved = undefined;
    return saved;
  }

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
    for (const [folder, { inode }] of this.#folders) {
      if (wanted.has(folder) && inodeOf(folder) === inode) continue;
      this.#forget(folder);
    }
    for (const folder of wanted) if (!this.#folders.has(folder)) this.#add(folder);
  }

  #forget(folder: string): void {
    this.#folders.get(folder)?.watcher.close();
    this.#folders.delete(folder);
  }

  #add(folder: string): void {
    const inode = inodeOf(folder);
    if (inode === undefined) return;
    try {
      const watcher = watch(folder, (_, name) => {
        // An event about the folder itself ends its watch. After a removal, a new folder may get the same inode number. Without
        // this line, the new folder would count as watched.
        if (name === basename(folder)) this.#forget(folder);
        if (this.#isMeant(folder, name)) this.#seen();
      });
      watcher.on('error', this.#onError);
      this.#folders.set(folder, { watcher, inode });
    } catch (error) {
      this.#onError(error);
    }
  }

  /**
   * Whether an event may concern a watched file. The event of a removed folder has the name of the folder itself. The event of a
   * new folder is an event of its parent, with the name of the new folder.
   */
  #isMeant(folder: string, name: string | null): boolean {
    if (name === null || name === basename(folder)) return true;
    const changed = join(folder, name);
    return [...this.#hashes.keys()].some((path) => path === changed || path.startsWith(`${changed}${sep}`));
  }
}
