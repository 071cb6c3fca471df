const NEWLINE = 0x0a;

/**
 * Cuts a byte stream into lines, whatever the boundaries of its chunks.
 *
 * It looks for the newline byte before decoding: in UTF-8 that byte is never part of another character, so characters
 * that are split across chunks come out whole.
 *
 * @example
 * const splitter = new LineSplitter();
 * splitter.push(Buffer.from('{"a":1}\n{"b"')); // ['{"a":1}']
 * splitter.push(Buffer.from(':2}\n')); // ['{"b":2}']
 */
export class LineSplitter {
  #rest: Uint8Array[] = [];

  /**
   * @param chunk - the next bytes; kept until their line is complete, so the caller must not overwrite them
   * @returns the lines that this chunk completed, in order, without their newline
   */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(this.#take(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
    return lines;
  }

  /** @returns what came after the last newline; empty when the stream ended with one */
  end(): string {
    return this.#take(new Uint8Array());
  }

  #take(tail: Uint8Array): string {
    const line = this.#rest.length === 0 ? tail : Buffer.concat([...this.#rest, tail]);
    this.#rest = [];
    return Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
  }
}
