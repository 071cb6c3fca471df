/** A fixed-point number, and the format of its suffix. */
export interface Quantity {
  /** The value in billionths: `1` is 10⁹. */
  readonly nano: bigint;
  readonly format: 'BinarySI' | 'DecimalSI' | 'DecimalExponent';
}

const NANO = 1_000_000_000n;

const binarySuffixes: readonly string[] = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const suffixOfExponent = new Map(Object.entries(decimalSuffixes).map(([suffix, exponent]) => [exponent, suffix]));

const shape = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+|)$/;

const max = ((1n << 63n) - 1n) * NANO;

/** Divides and rounds away from zero, because Kubernetes rounds quantities up. */
const divideUp = (value: bigint, divisor: bigint): bigint => {
  const quotient = value / divisor;
  if (quotient * divisor === value) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
};

const scale = (value: bigint, exponent: number): bigint =>
  exponent >= 0 ? value * 10n ** BigInt(exponent) : divideUp(value, 10n ** BigInt(-exponent));

const suffixed = (digits: bigint, fraction: number, suffix: string): Quantity => {
  const binary = binarySuffixes.indexOf(suffix);
  if (binary >= 0) {
    return { nano: scale(digits * 1024n ** BigInt(binary + 1), 9 - fraction), format: 'BinarySI' };
  }
  const decimal = decimalSuffixes[suffix];
  if (decimal !== undefined) return { nano: scale(digits, 9 + decimal - fraction), format: 'DecimalSI' };
  return { nano: scale(digits, 9 + Number(suffix.slice(1)) - fraction), format: 'DecimalExponent' };
};

/**
 * Parses a quantity; `undefined` for malformed text. Fractions below a billionth are rounded up. With a binary suffix, values
 * above 2⁶³-1 are capped.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/api/resource/quantity.go (`ParseQuantity`)
 */
export const parseQuantity = (text: string): Quantity | undefined => {
  const [, sign = '', whole = '', fraction = '', suffix = ''] = shape.exec(text) ?? [];
  if (whole === '' && fraction === '') return undefined;
  const { nano, format } = suffixed(BigInt(whole + fraction), fraction.length, suffix);
  const capped = format === 'BinarySI' && nano > max ? max : nano;
  const isFraction = format === 'BinarySI' && capped > 0n && capped < NANO;
  return { nano: sign === '-' ? -capped : capped, format: isFraction ? 'DecimalSI' : format };
};

const isKeptBinary = (whole: string, exponent: number): boolean =>
  15 - whole.length - Math.floor(exponent * 0.3) - 1 >= 0 && BigInt(whole) % 8n !== 0n;

const significant = (digits: string): string => digits.replace(/^0+/, '');

const isKeptDecimal = ({ digits, scale }: { readonly digits: string; readonly scale: number }): boolean =>
  digits.length <= 18 && scale >= -9 && scale % 3 === 0 && !digits.endsWith('000') && /^[1-9]/.test(digits);

/** Whether the real parser keeps a text, such as `1.500` or `1E3`, because the parser considers the text canonical. */
const isKept = (text: string): boolean => {
  const [, , whole = '', fraction = '', suffix = ''] = shape.exec(text) ?? [];
  const binary = binarySuffixes.indexOf(suffix);
  if (binary >= 0) return fraction === '' && isKeptBinary(significant(whole) || '0', 10 * (binary + 1));
  const exponent = decimalSuffixes[suffix] ?? Number(suffix.slice(1));
  return isKeptDecimal({ digits: (significant(whole) || '0') + fraction, scale: exponent - fraction.length });
};

/** Returns the form in which the server writes a quantity; `undefined` for malformed text. */
export const canonicalQuantity = (text: string): string | undefined => {
  const quantity = parseQuantity(text);
  if (quantity === undefined || isKept(text)) return quantity && text;
  return formatQuantity(quantity);
};

const strip = (value: bigint, base: bigint): readonly [mantissa: bigint, times: number] => {
  let [mantissa, times] = [value, 0];
  while (mantissa !== 0n && mantissa % base === 0n) [mantissa, times] = [mantissa / base, times + 1];
  return [mantissa, times];
};

const decimal = (nano: bigint, format: Quantity['format']): string => {
  const [mantissa, zeros] = strip(nano, 10n);
  // The exponent is the largest multiple of three that leaves no fraction.
  const exponent = Math.min(Math.floor((zeros - 9) / 3) * 3, format === 'DecimalSI' ? 18 : Number.MAX_SAFE_INTEGER);
  const digits = mantissa * 10n ** BigInt(zeros - 9 - exponent);
  if (format === 'DecimalSI') return `${digits}${suffixOfExponent.get(exponent) ?? ''}`;
  return exponent === 0 ? String(digits) : `${digits}e${exponent}`;
};

/**
 * Formats a quantity canonically.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/api/resource/quantity.go (`CanonicalizeBytes`)
 */
export const formatQuantity = ({ nano, format }: Quantity): string => {
  if (nano === 0n) return '0';
  if (format !== 'BinarySI') return decimal(nano, format);
  // Fractions and values between -1024 and 1024 have no binary suffix.
  if ((nano > -1024n * NANO && nano < 1024n * NANO) || nano % NANO !== 0n) return decimal(nano, 'DecimalSI');
  const [mantissa, times] = strip(nano / NANO, 1024n);
  const used = Math.min(times, binarySuffixes.length);
  return `${mantissa * 1024n ** BigInt(times - used)}${used === 0 ? '' : binarySuffixes[used - 1]}`;
};

const roundedUp = ({ nano, format }: Quantity, unit: bigint): Quantity => ({
  nano: divideUp(nano, unit) * unit,
  format,
});

/** Rounds a quantity up to a multiple of 0.001, because quantities in resource lists are stored in this form. */
export const roundUpToMilli = (quantity: Quantity): Quantity => roundedUp(quantity, 1_000_000n);

/** Rounds a quantity up to a whole number. */
export const roundUpToWhole = (quantity: Quantity): Quantity => roundedUp(quantity, NANO);

/** Adds two quantities. The sum has the format of `a`, or of `b` if `a` is zero. */
export const addQuantities = (a: Quantity, b: Quantity): Quantity => ({
  nano: a.nano + b.nano,
  format: a.nano === 0n ? b.format : a.format,
});

/** Converts a whole number to a quantity. */
export const quantityOf = (count: number): Quantity => ({ nano: BigInt(count) * NANO, format: 'DecimalSI' });

/** Parses a stored quantity; zero for an absent or malformed value. */
export const storedQuantity = (text: unknown): Quantity =>
  (typeof text === 'string' ? parseQuantity(text) : undefined) ?? quantityOf(0);

/** Whether a quantity has no fraction. */
export const isWhole = ({ nano }: Quantity): boolean => nano % NANO === 0n;
