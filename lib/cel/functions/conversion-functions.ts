import { type CelFunc, CelScalar, type CelUint, celFunc, celUint } from '@bufbuild/cel';

const { BOOL, DOUBLE, INT, STRING, UINT } = CelScalar;

const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

const cannotConvert = (to: string): Error => new Error(`type conversion error from 'string' to '${to}'`);

const toInt = (text: string): bigint => {
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : MAX_UINT;
  if (value > MAX_INT || value < -MAX_INT - 1n) throw cannotConvert('int');
  return value;
};

const toUint = (text: string): CelUint => {
  const value = /^\d+$/.test(text) ? BigInt(text) : MAX_UINT + 1n;
  if (value > MAX_UINT) throw cannotConvert('uint');
  return celUint(value);
};

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const NAMED = /^[+-]?(?:inf|infinity|nan)$/i;

const toDouble = (text: string): number => {
  if (DECIMAL.test(text)) return Number(text);
  if (!NAMED.test(text)) throw cannotConvert('double');
  if (/nan/i.test(text)) return Number.NaN;
  return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
};

const BOOLS: Readonly<Record<string, boolean>> = {
  '1': true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  '0': false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};

const toBool = (text: string): boolean => {
  const value = Object.hasOwn(BOOLS, text) ? BOOLS[text] : undefined;
  if (value === undefined) throw cannotConvert('bool');
  return value;
};

const fromInt = (value: bigint): CelUint => {
  if (value < 0n) throw new Error('unsigned integer overflow');
  return celUint(value);
};

/**
 * Conversion functions, such as `int()` of a string, with the errors of cel-go.
 *
 * @see github.com/google/cel-go v0.26.0
 * common/types
 */
export const conversionFunctions: readonly CelFunc[] = [
  celFunc('int', [STRING], INT, toInt),
  celFunc('uint', [STRING], UINT, toUint),
  celFunc('uint', [INT], UINT, fromInt),
  celFunc('double', [STRING], DOUBLE, toDouble),
  celFunc('bool', [STRING], BOOL, toBool),
];
