import {
  childOf,
  type FieldError,
  type FieldPath,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '#lib/apiserver/machinery/field-error.ts';
import { goJson, goNumber, goQuote } from '#lib/apiserver/machinery/go-text.ts';

/**
 * What a validator found. `matches` counts the checks that passed: of several alternatives that fail, the one with most
 * matches is reported.
 *
 * @see k8s.io/kube-openapi pkg/validation/validate/result.go
 */
export interface Result {
  failures: Failure[];
  matches: number;
}

/** One failed check; failures with the same text count once. */
export interface Failure {
  readonly text: string;
  toFieldError(root: FieldPath): FieldError;
}

/** A result to add to. */
export const emptyResult = (): Result => ({ failures: [], matches: 0 });

/** Adds a failure unless one with its text is there. */
export const addFailure = (result: Result, failure: Failure): void => {
  if (!result.failures.some(({ text }) => text === failure.text)) result.failures.push(failure);
};

/** Adds all that another result has. */
export const merge = (result: Result, other: Result): void => {
  result.matches += other.matches;
  for (const failure of other.failures) addFailure(result, failure);
};

/** Where the error of a failure stands: below the root of the validation. */
const below = (root: FieldPath, path: string): FieldPath =>
  path === '' || path === '.' ? root : childOf(root, path.replace(/^\./, ''));

/** A failure at a path, with `… in body …` as its text. */
const invalidAt = (path: string, value: unknown, what: string): Failure => {
  const text = `${path} in body ${what}`;
  return { text, toFieldError: (root) => invalidValue(below(root, path), value, text) };
};

/** A failure that names no field: it stands for the root. */
export const rootFailure = (text: string): Failure => ({
  text,
  toFieldError: (root) => invalidValue(root, '', text),
});

/** A value of another type than the schema says. `found` is shown as the value. */
export const wrongType = (path: string, expected: string, found: string): Failure => {
  const text = `${path} in body must be of type ${expected}: ${goQuote(found)}`;
  return { text, toFieldError: (root) => typeInvalid(below(root, path), found, text) };
};

/** A member that has to be there. */
export const missing = (path: string): Failure => ({
  text: `${path} in body is required`,
  toFieldError: (root) => required(below(root, path)),
});

/** A value that is none of a list. */
export const notInEnum = (path: string, value: unknown, values: readonly unknown[]): Failure => ({
  text: `${path} in body should be one of ${goJson(values)}`,
  toFieldError: (root) => {
    const texts = values.map((one) => (typeof one === 'string' ? one : goJson(one)));
    return notSupported(below(root, path), value, texts);
  },
});

/** A text with too many characters. */
export const textTooLong = (path: string, limit: number): Failure => ({
  text: `${path} in body should be at most ${limit} chars long`,
  toFieldError: (root) => tooLong(below(root, path), limit),
});

/** A text with too few characters. */
export const textTooShort = (path: string, value: string, limit: number): Failure =>
  invalidAt(path, value, `should be at least ${limit} chars long`);

/** A text that a pattern does not match. */
export const patternFailed = (path: string, value: string, pattern: string): Failure =>
  invalidAt(path, value, `should match '${pattern}'`);

/** A number that a bound excludes; `relation` such as `less than or equal to`. */
export const outOfBounds = (path: string, value: number, relation: string): Failure =>
  invalidAt(path, value, `should be ${relation}`);

/** A number that is no multiple of another. */
export const notMultiple = (path: string, value: number, factor: number): Failure =>
  invalidAt(path, value, `should be a multiple of ${goNumber(factor)}`);

/** A factor that no number can be a multiple of. */
export const factorNotPositive = (path: string, factor: number): Failure => {
  const text = `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`;
  return { text, toFieldError: (root) => invalidValue(below(root, path), factor, text) };
};

/** A list with equal items. */
export const notUnique = (path: string): Failure => invalidAt(path, '', "shouldn't contain duplicates");

/** A list or an object with too many members; `what` is `items` or `properties`. */
export const tooManyMembers = (path: string, counts: Counts, what: string): Failure => ({
  text: `${path} in body should have at most ${counts.limit} ${what}`,
  toFieldError: (root) => tooMany(below(root, path), counts.size, counts.limit),
});

/** A list or an object with too few members. */
export const tooFewMembers = (path: string, { size, limit }: Counts, what: string): Failure =>
  invalidAt(path, size, `should have at least ${limit} ${what}`);

/** How many members there are, and how many there may be. */
export interface Counts {
  readonly size: number;
  readonly limit: number;
}

/** A member that the schema forbids. */
export const notAllowed = (path: string, name: string): Failure => {
  const text = `${path}.${name} in body is a forbidden property`;
  return { text, toFieldError: (root) => invalidValue(below(root, path), name, text) };
};
