import { appendFile, constants, open, rename, rm, writeFile } from 'node:fs/promises';
import { ConfigurationError } from '#lib/errors.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { passRecordOf, RECORD_HEADER, stubOf } from '#lib/loop/record/pass-record.ts';
import { isRecordLonger } from '#lib/loop/record/record-bytes.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/** How passes are recorded. */
export interface RecordFileOptions {
  /** The file; the older half is beside it, as `<file>.1`. The record of an earlier process becomes `<file>.before`. */
  readonly file: string;
  /** The size after which a new file begins, in bytes; two files are kept. @default 16 MiB */
  readonly maxBytes?: number;
  readonly log: Logger;
}

/** A file that passes are recorded in. */
export interface RecordFile {
  /** Records a pass; never throws, never waits. */
  readonly onDecision: (decision: DecidedPass) => void;
  /** Writes the rest. */
  close(): Promise<void>;
}

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/** Maximum number of bytes that wait for the disk. Further records are dropped and counted in the log. */
const MAX_WAITING = 8 * 1024 * 1024;

/** Maximum share of a file for one pass. Only a stub of a larger pass is kept, so that there is room for others. */
const SHARE_OF_PASS = 1 / 2;

const HEADER = `${JSON.stringify(RECORD_HEADER)}\n`;

/** O_NOFOLLOW: a symbolic link that another user planted in a shared folder must not redirect the file. */
const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

const begin = async (file: string): Promise<void> =>
  writeFile(file, HEADER, { mode: 0o600, flag: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW });

const append = async (file: string, text: string): Promise<void> =>
  appendFile(file, text, { flag: O_WRONLY | O_APPEND | O_NOFOLLOW });

/** Makes an existing file readable for its owner alone. @returns its length; `undefined` when there is none */
const closedToOthers = async (file: string): Promise<number | undefined> => {
  // A pipe would be waited for.
  const handle = await open(file, O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new TypeError('it is not a regular file');
    await handle.chmod(0o600);
    return stats.size;
  } finally {
    await handle.close();
  }
};

/** The record of a crash outlives the restart; a process that recorded nothing does not push it out. */
const setAside = async (file: string): Promise<void> => {
  const [newer, older] = [await closedToOthers(file), await closedToOthers(`${file}.1`)];
  if (newer === undefined && older === undefined) return;
  if (older === undefined && newer !== undefined && newer <= HEADER.length) return rm(file);
  for (const [part, length] of [
    ['', newer],
    ['.1', older],
  ] as const) {
    if (length === undefined) await rm(`${file}.before${part}`, { force: true });
    else await rename(`${file}${part}`, `${file}.before${part}`);
  }
};

class Ring implements RecordFile {
  readonly #options: Required<RecordFileOptions>;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #bytes = HEADER.length;
  #passes = 0;
  #lost = 0;
  #writing: Promise<void> | undefined;
  #isBroken = false;

  constructor(options: Required<RecordFileOptions>) {
    this.#options = options;
  }

  readonly onDecision = (decision: DecidedPass): void => {
    this.#passes += 1;
    if (this.#isBroken) return;
    try {
      this.#add(this.#lineOf(decision));
    } catch (error) {
      // The loop has already refused values that cannot be converted to text; a pass must not fail because of its record.
      this.#options.log.warn({ error }, 'a pass could not be recorded');
    }
  };

  async close(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#lost > 0) this.#options.log.warn({ lost: this.#lost }, 'passes were not recorded, the disk is too slow');
  }

  #lineOf(decision: DecidedPass): string {
    const { maxBytes, log } = this.#options;
    const limit = Math.min(MAX_WAITING, maxBytes * SHARE_OF_PASS);
    const line = isRecordLonger(decision, limit) ? '' : `${JSON.stringify(passRecordOf(decision, this.#passes))}\n`;
    if (line !== '' && Buffer.byteLength(line) <= limit) return line;
    log.warn({ key: decision.seen.key, limit }, 'a pass is too large to be recorded');
    return `${JSON.stringify(stubOf(decision, this.#passes, limit))}\n`;
  }

  #add(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#waitingBytes + bytes > MAX_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const lines = this.#waiting;
        this.#waiting = [];
        this.#waitingBytes = 0;
        await this.#append(lines);
      }
    } catch (error) {
      this.#isBroken = true;
      this.#options.log.error({ error }, 'passes are not recorded any more');
    } finally {
      this.#writing = undefined;
    }
  }

  /** As many lines at once as fit into the file; then a new one. */
  async #append(lines: readonly string[]): Promise<void> {
    const { file, maxBytes } = this.#options;
    let chunk = '';
    for (const line of lines) {
      const bytes = Buffer.byteLength(line);
      if (this.#bytes + bytes > maxBytes && this.#bytes > HEADER.length) {
        await append(file, chunk);
        chunk = '';
        await rename(file, `${file}.1`);
        await begin(file);
        this.#bytes = HEADER.length;
      }
      chunk += line;
      this.#bytes += bytes;
    }
    await append(file, chunk);
  }
}

/**
 * Records the passes of this process in a file that only its owner can read: a ring of two files, so that the size is bounded.
 * The record of an earlier process is kept as `<file>.before`, with its older half.
 *
 * @throws {ConfigurationError} when it cannot be written, and for a link
 */
export const openRecordFile = async (options: RecordFileOptions): Promise<RecordFile> => {
  const { file, maxBytes = DEFAULT_MAX_BYTES } = options;
  try {
    await setAside(file);
    await begin(file);
  } catch (cause) {
    throw new ConfigurationError(
      `RECORD_FILE is "${file}", which cannot be written (${(cause as Error).message}): name a file in a folder that can`,
      { cause },
    );
  }
  return new Ring({ ...options, maxBytes });
};
