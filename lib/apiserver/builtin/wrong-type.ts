import { jsonTypeOf } from '#lib/apiserver/machinery/go-text.ts';

/** What Go cannot decode: the value as Go names it, and the type it should be; or a text of its own. */
export class WrongType extends Error {
  readonly found: string;
  /** Empty when `found` is the whole message. */
  readonly expected: string;

  constructor(found: string, expected: string, where = '') {
    super(
      expected === '' ? found : `json: cannot unmarshal ${found} into Go struct field ${where} of type ${expected}`,
    );
    this.name = 'WrongType';
    this.found = found;
    this.expected = expected;
  }
}

/** The error for a value of another type. */
export const wrongType = (value: unknown, expected: string): WrongType => new WrongType(jsonTypeOf(value), expected);

/** Reads one scalar and writes it as the server does. @throws {WrongType} */
export type Scalar = (value: unknown) => unknown;
