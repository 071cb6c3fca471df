import { appendFile, constants, open, rename, rm, writeFile } from 'node:fs/promises';
import { ConfigurationError } from '#lib/errors.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { passRecordOf, RECORD_HEADER, stubOf } from '#lib/loop/record/pass-record.ts';
import { isRecordLonger } from '#lib/loop/record/record-bytes.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/** Options of {@link openRecordFile}. */
export interface RecordFileOptions {
  /** The path. Older passes of this process are in `<file>.1`. The record of an earlier process becomes `<file>.before`. */
  readonly file: string;
  /** The size after which a new file begins, in bytes; the previous file is kept. @default 16 MiB */
  readonly maxBytes?: number;
  readonly log: Logger;
}

/** A recorder of passes. */
export interface RecordFile {
  /** Records a pass. Never throws, and never waits. */
  readonly onDecision: (decision: DecidedPass) => void;
  /** Waits until all waiting records are written. */
  close(): Promise<void>;
}

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/** The maximum number of bytes that wait for a write. Further records are dropped and counted. */
const MAX_WAITING = 8 * 1024 * 1024;

/**
 * The maximum share of a file for one pass. A larger record is replaced by a short entry, so that there is room for other passes.
 */
const SHARE_OF_PASS = 1 / 2;

const HEADER = `${JSON.stringify(RECORD_HEADER)}\n`;

/** Without O_NOFOLLOW, another user could redirect the file by a symbolic link in a shared folder. */
const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

const begin = async (file: string): Promise<void> =>
  writeFile(file, HEADER, { mode: 0o600, flag: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW });

const append = async (file: string, text: string): Promise<void> =>
  appendFile(file, text, { flag: O_WRONLY | O_APPEND | O_NOFOLLOW });

/** Sets the mode 0600. @returns the size of the file in bytes; `undefined` if there is no file */
const closedToOthers = async (file: string): Promise<number | undefined> => {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
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

/** A record without passes is deleted, so that it does not replace an earlier record. */
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
      // An error of the recorder must not fail the pass.
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

  /** Starts a new file when the current file is full. */
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
 * Starts the record of passes, in a file that only its owner can read. A full file is renamed to `<file>.1`, so the total
 * size is bounded. An earlier record is kept as `<file>.before` and `<file>.before.1`.
 *
 * @throws {ConfigurationError} when the file cannot be written, or is a symbolic link or another file that is not regular
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
