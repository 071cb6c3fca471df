import { microsOf } from '#lib/desired/clock.ts';
import type { Issue } from '#lib/errors.ts';
import type { JsonObject } from '#lib/json.ts';
import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import { checkValue } from '#lib/kind/value/check.ts';
import { immutableSchema, pinSchema, recordSchema, stubSchema } from './record-schema.ts';

const text: JsonSchema = { type: 'string' };

/** The issues of the pairs in a list: a uid, and a value with the schema. */
const pairIssues = (record: JsonObject, name: string, schema: JsonSchema): readonly Issue[] => {
  const pairs = (record[name] ?? []) as readonly (readonly [unknown, unknown])[];
  return pairs.flatMap(([uid, value], index) => [
    ...checkValue(text, uid, { path: `${name}[${index}][0]` }),
    ...checkValue(schema, value, { path: `${name}[${index}][1]` }),
  ]);
};

const hasClock = (at: string): boolean => {
  try {
    return Number.isSafeInteger(microsOf(at));
  } catch {
    return false;
  }
};

const timeIssues = ({ at }: JsonObject): readonly Issue[] =>
  hasClock(at as string)
    ? []
    : [{ path: 'at', rule: 'format', value: at, message: 'must be a time in RFC 3339 from the years 1700 to 2200' }];

/** Whether a line of a record is the entry for a pass with a record that was too large. */
const isStub = (line: JsonObject): boolean => line['unreplayable'] !== undefined && line['resource'] === undefined;

/**
 * Checks all fields of a line that a replay reads. Unknown fields are allowed.
 *
 * @param line - the JSON value of a line after the header
 * @returns every issue with the path of its field; empty for a valid line
 */
export const recordIssues = (line: JsonObject): readonly Issue[] => {
  const issues = checkValue(isStub(line) ? stubSchema : recordSchema, line);
  const known = issues.filter(({ rule }) => rule !== 'unknown-field');
  if (known.length > 0) return known;
  // The schema has no lists with items of different types, and its format allows times that the clock of a pass cannot show.
  const rest = [
    ...timeIssues(line),
    ...pairIssues(line, 'pins', pinSchema),
    ...pairIssues(line, 'immutables', immutableSchema),
  ];
  return rest.filter(({ rule }) => rule !== 'unknown-field');
};
