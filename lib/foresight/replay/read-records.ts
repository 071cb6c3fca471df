import { ForesightError, formatIssue } from '#lib/errors.ts';
import { isPlainObject, type JsonObject, parsedJson } from '#lib/json.ts';
import { type PassRecord, type PassStub, RECORD_HEADER } from '#lib/loop/record/pass-record.ts';
import { recordIssues } from './record-issues.ts';

/** Options for {@link readRecords}. */
export interface ReadRecordsOptions {
  /** Name of the file, for messages. */
  readonly name: string;
  /** Whether to ignore a truncated last line, which a killed operator leaves. @default false: a truncated line is an error */
  readonly allowsTruncated?: boolean;
}

/** A recorded pass, or a shortened record that cannot be replayed. */
export type RecordedPass = PassRecord | PassStub;

/** The most issues of a line in a message. */
const FIRST_ISSUES = 5;

const assertRecord = (line: JsonObject, place: string): RecordedPass => {
  const issues = recordIssues(line);
  if (issues.length === 0) return line as unknown as RecordedPass;
  const more = issues.length - FIRST_ISSUES;
  const shown = issues.slice(0, FIRST_ISSUES).map(formatIssue);
  const lines = [...shown, ...(more > 0 ? [`and ${more} more`] : [])];
  throw new ForesightError(
    `Cannot replay ${place}: this line is no record of a pass:\n${lines.map((each) => `  - ${each}`).join('\n')}`,
  );
};

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
 * @throws {ForesightError} for another file format or version, for a line with an invalid field, and for a truncated file
 *   unless `allowsTruncated`
 */
export const readRecords = (
  text: string,
  { name, allowsTruncated = false }: ReadRecordsOptions,
): readonly RecordedPass[] => {
  const [header = '', ...lines] = text.split('\n');
  assertHeader(header, name);
  if (lines.at(-1) === '') lines.pop();
  return lines.flatMap((line, index) => {
    const place = `${name}:${index + 2}`;
    const record = parsedJson(line);
    if (isPlainObject(record)) return [assertRecord(record, place)];
    const isCutOff = record === undefined && index === lines.length - 1;
    if (isCutOff && allowsTruncated) return [];
    const why = isCutOff
      ? 'the file ends in the middle of a pass: it was cut off, or is still being written; --truncated replays the complete passes'
      : 'this line is no JSON object; each line after the first is the record of a pass';
    throw new ForesightError(`Cannot replay ${place}: ${why}`);
  });
};
