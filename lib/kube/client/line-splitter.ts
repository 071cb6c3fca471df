import { MalformedStreamError } from '#lib/kube/transport/malformed.ts';

const NEWLINE = 0x0a;

/**
 * The maximum length of a line, in bytes. An object of 1.5 MiB, the limit of etcd, has about 3 MB as JSON. Even clusters with
 * higher limits stay far below this maximum.
 */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Splits a byte stream into lines. A line may begin and end in the middle of a chunk.
 *
 * The splitter searches for the newline byte before decoding. In UTF-8, that byte is never part of another character, so
 * characters that are split across chunks stay intact.
 *
 * @example
 * const splitter = new LineSplitter();
 * splitter.push(Buffer.from('{"a":1}\n{"b"')); // ['{"a":1}']
 * splitter.push(Buffer.from(':2}\n')); // ['{"b":2}']
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #rest: Uint8Array[] = [];
  #restBytes = 0;

  /** @param options - `maxBytes`: the longest accepted line. @default 64 MiB */
  constructor({ maxBytes = MAX_LINE_BYTES }: { readonly maxBytes?: number } = {}) {
    this.#maxBytes = maxBytes;
  }

  /**
   * @param chunk - the next bytes; they are kept until their line is complete, so the caller must not overwrite them
   * @returns the lines that this chunk completed, in order, without their newline
   * @throws MalformedStreamError when the incomplete line at the end is longer than the limit
   */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(this.#take(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  /** @returns the text after the last newline; empty when the stream ended with a newline */
  end(): string {
    return this.#take(new Uint8Array());
  }

  #keep(tail: Uint8Array): void {
    this.#restBytes += tail.length;
    if (this.#restBytes > this.#maxBytes) {
      this.#rest = [];
      throw new MalformedStreamError(
        `Cannot read on: a line is longer than ${this.#maxBytes} bytes; is this an API server?`,
      );
    }
    this.#rest.push(tail);
  }

  #take(tail: Uint8Array): string {
    const line = this.#rest.length === 0 ? tail : Buffer.concat([...this.#rest, tail]);
    this.#rest = [];
    this.#restBytes = 0;
    return Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
  }
}
