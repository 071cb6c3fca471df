import { assert, bigInt, constantFrom, nat, option, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addQuantities,
  canonicalQuantity,
  formatQuantity,
  parseQuantity,
  roundUpToMilli,
} from '#lib/apiserver/builtin/codec/quantity.ts';
import { runs } from '#test/properties.ts';

/** @see k8s.io/apimachinery v0.36.4 pkg/api/resource/quantity_test.go */
const canonical: readonly (readonly [text: string, expected: string])[] = [
  ['0', '0'],
  ['0Ki', '0'],
  ['1000m', '1'],
  ['1.5', '1500m'],
  ['0.5Gi', '512Mi'],
  ['1.5Gi', '1536Mi'],
  ['1024Ki', '1Mi'],
  ['1023Ki', '1023Ki'],
  ['1Ki', '1Ki'],
  ['1000Ki', '1000Ki'],
  ['0.001Ki', '1024m'],
  ['100u', '100u'],
  ['1e3', '1e3'],
  ['1E6', '1E6'],
  ['1000e0', '1e3'],
  ['0.0000000001', '1n'],
  ['12000', '12k'],
  ['1000000000000000000000', '1000E'],
  ['-1000m', '-1'],
  ['1.500', '1.500'],
];

describe('canonicalQuantity()', () => {
  it.for(canonical)('writes %s as %s', ([text, expected]) => {
    expect(canonicalQuantity(text)).toBe(expected);
  });

  it.for(['', 'x', '1x', '1 Ki', '.', '1.2.3', 'Ki', '1ki', '--1'])('refuses "%s"', (text) => {
    expect(canonicalQuantity(text)).toBeUndefined();
  });

  it('writes what it wrote before in the same way', () => {
    const suffix = constantFrom('', 'm', 'u', 'n', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'E-3');
    const text = tuple(
      bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
      option(nat(999), { nil: undefined }),
      suffix,
    ).map(([whole, fraction, end]) => `${whole}${fraction === undefined ? '' : `.${fraction}`}${end}`);
    assert(
      property(text, (given) => {
        const once = canonicalQuantity(given) ?? '';
        expect(canonicalQuantity(once)).toBe(once);
      }),
      { numRuns: runs(500) },
    );
  });

  it('does not change the amount', () => {
    assert(
      property(bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), constantFrom('', 'm', 'k', 'Ki', 'Gi'), (n, suffix) => {
        const text = `${n}${suffix}`;
        expect(parseQuantity(canonicalQuantity(text) ?? '')?.nano).toBe(parseQuantity(text)?.nano);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('addQuantities()', () => {
  it('keeps the kind of suffix of the first amount', () => {
    const [a, b, zero] = ['1Gi', '1G', '0'].map((text) => parseQuantity(text));
    if (a === undefined || b === undefined || zero === undefined) throw new Error('well formed');
    expect(formatQuantity(addQuantities(a, a))).toBe('2Gi');
    expect(formatQuantity(addQuantities(zero, a))).toBe('1Gi');
    expect(addQuantities(b, a).format).toBe('DecimalSI');
  });
});

describe('roundUpToMilli()', () => {
  it('rounds away from zero', () => {
    const rounded = ['1u', '-1u', '1m', '1.0001'].map((text) => {
      const quantity = parseQuantity(text);
      return quantity && formatQuantity(roundUpToMilli(quantity));
    });
    expect(rounded).toEqual(['1m', '-1m', '1m', '1001m']);
  });
});
