import {
  type FieldError,
  type FieldPath,
  invalidValue,
  memberPath,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '#lib/apiserver/machinery/field-error.ts';
import { goJson, goNumber, goQuote } from '#lib/apiserver/machinery/text/go-text.ts';

/**
 * The result of a validator. `matches` is the number of validators that apply to the value. As on the real server, some
 * validators count even if they fail. If all alternatives fail, the errors of the alternative with the most matches are reported.
 *
 * @see k8s.io/kube-openapi pkg/validation/validate/result.go
 */
export interface ValidationResult {
  failures: ValidationFailure[];
  matches: number;
}

/** A failed check. If several failures have the same text, only the first is reported. */
export interface ValidationFailure {
  readonly text: string;
  toFieldError(root: FieldPath): FieldError;
}

/** Creates an empty result, to which the caller adds failures. */
export const emptyResult = (): ValidationResult => ({ failures: [], matches: 0 });

/** Adds a failure, unless the result already has a failure with the same text. */
export const addFailure = (result: ValidationResult, failure: ValidationFailure): void => {
  if (!result.failures.some(({ text }) => text === failure.text)) result.failures.push(failure);
};

/** Adds the matches and the failures of another result. */
export const mergeResults = (result: ValidationResult, other: ValidationResult): void => {
  result.matches += other.matches;
  for (const failure of other.failures) addFailure(result, failure);
};

/** Appends the path of a failure to the path of the root. */
const below = (root: FieldPath, path: string): FieldPath =>
  path === '' || path === '.' ? root : memberPath(root, path.replace(/^\./, ''));

/** Creates the failure of a value at a path, with a text of the form `… in body …`. */
const invalidAt = (path: string, value: unknown, what: string): ValidationFailure => {
  const text = `${path} in body ${what}`;
  return { text, toFieldError: (root) => invalidValue(below(root, path), value, text) };
};

/** Creates a failure without a field. Its error has the path of the root. */
export const rootFailure = (text: string): ValidationFailure => ({
  text,
  toFieldError: (root) => invalidValue(root, '', text),
});

/** Creates the failure of a value of the wrong type. The message shows `found` as the value. */
export const wrongTypeFailure = (path: string, expected: string, found: string): ValidationFailure => {
  const text = `${path} in body must be of type ${expected}: ${goQuote(found)}`;
  return { text, toFieldError: (root) => typeInvalid(below(root, path), found, text) };
};

/** Creates the failure of a missing required member. */
export const missing = (path: string): ValidationFailure => ({
  text: `${path} in body is required`,
  toFieldError: (root) => required(below(root, path)),
});

/** Creates the failure of a value outside an enum. */
export const notInEnum = (path: string, value: unknown, values: readonly unknown[]): ValidationFailure => ({
  text: `${path} in body should be one of ${goJson(values)}`,
  toFieldError: (root) => {
    const texts = values.map((one) => (typeof one === 'string' ? one : goJson(one)));
    return notSupported(below(root, path), value, texts);
  },
});

/** Creates the failure of a text with too many characters. */
export const textTooLong = (path: string, limit: number): ValidationFailure => ({
  text: `${path} in body should be at most ${limit} chars long`,
  toFieldError: (root) => tooLong(below(root, path), limit),
});

/** Creates the failure of a text with too few characters. */
export const textTooShort = (path: string, value: string, limit: number): ValidationFailure =>
  invalidAt(path, value, `should be at least ${limit} chars long`);

/** Creates the failure of a text that does not match a pattern. */
export const patternFailed = (path: string, value: string, pattern: string): ValidationFailure =>
  invalidAt(path, value, `should match '${pattern}'`);

/** Creates the failure of a number outside a bound; `relation` is a phrase such as `less than or equal to`. */
export const outOfBounds = (path: string, value: number, relation: string): ValidationFailure =>
  invalidAt(path, value, `should be ${relation}`);

/** Creates the failure of a number that is not a multiple of the factor. */
export const notMultiple = (path: string, value: number, factor: number): ValidationFailure =>
  invalidAt(path, value, `should be a multiple of ${goNumber(factor)}`);

/** Creates the failure of a schema with a `multipleOf` that is not positive. No number can be a multiple of this factor. */
export const factorNotPositive = (path: string, factor: number): ValidationFailure => {
  const text = `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`;
  return { text, toFieldError: (root) => invalidValue(below(root, path), factor, text) };
};

/** Creates the failure of a list with equal items. */
export const notUnique = (path: string): ValidationFailure => invalidAt(path, '', "shouldn't contain duplicates");

/** Creates the failure of a list or an object with too many members; `what` is `items` or `properties`. */
export const tooManyMembers = (path: string, counts: MemberCounts, what: string): ValidationFailure => ({
  text: `${path} in body should have at most ${counts.limit} ${what}`,
  toFieldError: (root) => tooMany(below(root, path), counts.size, counts.limit),
});

/** Creates the failure of a list or an object with too few members. */
export const tooFewMembers = (path: string, { size, limit }: MemberCounts, what: string): ValidationFailure =>
  invalidAt(path, size, `should have at least ${limit} ${what}`);

/** The number of members, and its limit. */
export interface MemberCounts {
  readonly size: number;
  readonly limit: number;
}

/** Creates the failure of a member that the schema forbids. */
export const notAllowed = (path: string, name: string): ValidationFailure => {
  const text = `${path}.${name} in body is a forbidden property`;
  return { text, toFieldError: (root) => invalidValue(below(root, path), name, text) };
};
