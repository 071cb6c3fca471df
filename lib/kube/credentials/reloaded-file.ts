import { readFile } from 'node:fs/promises';

/** Options of {@link ReloadedFile}. */
export interface ReloadedFileOptions {
  /** The age after which the content is read again, in milliseconds. */
  readonly maxAgeMs: number;
  /** Returns the time in epoch milliseconds. */
  readonly now: () => number;
}

const readText = async (path: string): Promise<string> => {
  const text = (await readFile(path, 'utf8')).trim();
  if (text === '') throw new Error(`${path} is empty`);
  return text;
};

/**
 * Opens a small text file. Its content may be replaced while the process runs.
 *
 * @throws the error of `readFile`; an Error if the file is empty
 * @example
 * const token = await openReloadedFile('/run/token', { maxAgeMs: 60_000, now: Date.now });
 * await token.current();
 */
export const openReloadedFile = async (path: string, options: ReloadedFileOptions): Promise<ReloadedFile> =>
  new ReloadedFile(path, options, await readText(path));

/**
 * The trimmed content of a file, which is read again when it is older than `maxAgeMs`.
 *
 * **Guarantees**: at most one read at a time. If a read fails, or the file is empty, the old content is kept for another
 * `maxAgeMs`. **Caveats**: the file is read only when a method is called; there is no timer.
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

  /** @returns the content; it is read again if the last read is `maxAgeMs` ago */
  async current(): Promise<string> {
    const ageMs = this.#options.now() - this.#readAt;
    // A negative age means that the wall clock was set back. Without this case, the content could stay unread for hours.
    if (ageMs < 0 || ageMs >= this.#options.maxAgeMs) await this.reload();
    return this.#content;
  }

  /** Reads the file now. Resolves also when the read fails. */
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
