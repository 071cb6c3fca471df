import { jsonTypeOf, unmarshalError } from '#lib/apiserver/machinery/text/go-text.ts';

/**
 * The error for a value that Go cannot decode. `found` describes the value, such as `string` or `number 1.5`, or is a complete
 * message.
 */
export class WrongType extends Error {
  readonly found: string;
  /** The expected type; empty when `found` is the whole message. */
  readonly expected: string;
  /** The Go struct and the field path of the value, such as `PodSpec.spec.containers`; empty when not known yet. */
  readonly where: string;

  constructor(found: string, expected: string, where = '') {
    super(expected === '' ? found : unmarshalError(found, { type: expected, field: where }));
    this.name = 'WrongType';
    this.found = found;
    this.expected = expected;
    this.where = where;
  }
}

/** Creates the error for a value that does not have the expected Go type. */
export const wrongGoType = (value: unknown, expected: string): WrongType => new WrongType(jsonTypeOf(value), expected);

/** Reads one scalar and writes it as the server does. @throws {WrongType} */
export type ScalarCodec = (value: unknown) => unknown;
