/** A part of the cases of a test: each case has a number, from which it is made. */
export interface CaseRange {
  /** The number of the first case. */
  readonly first: number;
  readonly count: number;
}

const environment = process.env;

/**
 * Reads `CASES`, such as `101+50` for the fifty cases from number 101. `npm run campaign` sets this variable, so that a test with
 * many cases can be interrupted.
 *
 * @throws {TypeError} for another form
 */
export const readCaseRange = (text = environment['CASES']): CaseRange | undefined => {
  if (text === undefined) return undefined;
  const [, first, count] = /^([1-9]\d*)\+([1-9]\d*)$/.exec(text) ?? [];
  if (first === undefined) throw new TypeError(`CASES is "${text}": expected <first>+<count>, such as 101+50`);
  return { first: Number(first), count: Number(count) };
};

/**
 * The cases of a test: those of `CASES`, or `soak` of them in `npm run test:soak`, or `usual`.
 */
export const casesNow = ({ usual, soak }: { readonly usual: number; readonly soak: number }): CaseRange =>
  readCaseRange() ?? { first: 1, count: environment['SOAK'] === undefined ? usual : soak };
