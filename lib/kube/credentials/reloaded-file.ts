import { readFile } from 'node:fs/promises';

/** When a {@link ReloadedFile} is read again. */
export interface ReloadedFileOptions {
  /** Age in milliseconds from which the content is read again. */
  readonly maxAgeMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const readText = async (path: string): Promise<string> => {
  const text = (await readFile(path, 'utf8')).trim();
  if (text === '') throw new Error(`${path} is empty`);
  return text;
};

/**
 * Opens a small text file whose content may be replaced while the process runs.
 *
 * @throws Error of `readFile`, or one for an empty file
 * @example
 * const token = await openReloadedFile('/run/token', { maxAgeMs: 60_000, now: Date.now });
 * await token.current();
 */
export const openReloadedFile = async (path: string, options: ReloadedFileOptions): Promise<ReloadedFile> =>
  new ReloadedFile(path, options, await readText(path));

/**
 * The trimmed content of a file, read again when it is older than `maxAgeMs`.
 *
 * **Guarantees**: at most one read at a time; a read that fails, or finds the file empty, keeps the old content until the next
 * one is due. **Caveats**: it reads only in calls; there is no timer.
 */
export class ReloadedFile {
  readonly #path: string;
  readonly #options: ReloadedFileOptions;
  #content: string;
  #readAt: number;
  #reading: Promise<void> | undefined;

  constructor(path: string, options: ReloadedFileOptions, content: string) {
    this.#path = path;
    this.#options = options;
    this.#content = content;
    this.#readAt = options.now();
  }

  /** @returns the content, fresh if the last look is `maxAgeMs` ago */
  async current(): Promise<string> {
    const ageMs = this.#options.now() - this.#readAt;
    // A negative age means that the wall clock was set back. To wait until the clock has caught up could take hours.
    if (ageMs < 0 || ageMs >= this.#options.maxAgeMs) await this.reload();
    return this.#content;
  }

  /** Reads now. Resolves also when reading fails. */
  async reload(): Promise<void> {
    this.#reading ??= this.#read();
    await this.#reading;
  }

  async #read(): Promise<void> {
    try {
      this.#content = await readText(this.#path);
    } catch {
      // The file may be in the middle of its replacement. The old content is used until the server refuses it.
    } finally {
      this.#readAt = this.#options.now();
      this.#reading = undefined;
    }
  }
}
