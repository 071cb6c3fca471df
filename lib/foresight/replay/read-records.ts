import { ForesightError } from '#lib/errors.ts';
import { isPlainObject, type JsonObject, parsedJson } from '#lib/json.ts';
import { type PassRecord, type PassStub, RECORD_HEADER } from '#lib/loop/record/pass-record.ts';

/** Options for {@link readRecords}. */
export interface ReadRecordsOptions {
  /** Name of the file, for messages. */
  readonly name: string;
  /** Whether to ignore a truncated last line, which a killed operator leaves. @default false: a truncated line is an error */
  readonly allowsTruncated?: boolean;
}

const MEMBERS = ['pass', 'key', 'at', 'resource', 'children', 'answer'] as const;

const STUB_MEMBERS = ['pass', 'kind', 'key', 'at', 'unreplayable'] as const;

const has = (value: JsonObject, members: readonly string[]): boolean =>
  members.every((member) => value[member] !== undefined);

const isRecord = (value: unknown): value is RecordedPass =>
  isPlainObject(value) &&
  ((has(value, MEMBERS) && Array.isArray(value['children'])) ||
    (has(value, STUB_MEMBERS) && !has(value, ['resource'])));

/** A recorded pass, or a shortened record that cannot be replayed. */
export type RecordedPass = PassRecord | PassStub;

const assertHeader = (line: string, name: string): void => {
  const header = parsedJson(line);
  const { format, version } = RECORD_HEADER;
  if (!isPlainObject(header) || header['format'] !== format)
    throw new ForesightError(
      `Cannot replay ${name}: it is no record of passes, which begins with ${JSON.stringify(RECORD_HEADER)}; record one with RECORD_FILE`,
    );
  if (header['version'] !== version)
    throw new ForesightError(
      `Cannot replay ${name}: it has version ${JSON.stringify(header['version'])} of the format, and this program reads ${version}; ` +
        'use the version of cdk8s-reconcile that recorded it',
    );
};

/**
 * Reads the recorded passes of an operator.
 *
 * @param text - content of a file: one JSON value per line, the first one a header
 * @throws {ForesightError} for another file format or version, for an invalid line, and for a truncated file unless
 *   `allowsTruncated`
 */
export const readRecords = (
  text: string,
  { name, allowsTruncated = false }: ReadRecordsOptions,
): readonly RecordedPass[] => {
  const [header = '', ...lines] = text.split('\n');
  assertHeader(header, name);
  if (lines.at(-1) === '') lines.pop();
  return lines.flatMap((line, index) => {
    const record = parsedJson(line);
    if (isRecord(record)) return [record];
    const isLast = index === lines.length - 1;
    if (isLast && allowsTruncated) return [];
    const place = `${name}:${index + 2}`;
    const why = isLast
      ? 'the file ends in the middle of a pass: it was cut off, or is still being written; --truncated replays the complete passes'
      : 'this line is no pass';
    throw new ForesightError(`Cannot replay ${place}: ${why}`);
  });
};
