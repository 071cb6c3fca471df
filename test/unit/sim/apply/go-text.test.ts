import { describe, expect, it } from 'vitest';
import { floatText, goJson, goQuote, goSyntax, goType, goValue, integerText } from '#lib/sim/apply/go-text.ts';

// Expected texts were printed by Go 1.26; that of goJson() is what json-iterator's stream_str.go says.
describe('Go texts', () => {
  it('floatText() prints as %v does with a float64', () => {
    const texts = [0, 80, 999999, 1e6, 123456789, 0.1, 0.0001, 0.00001, 1.5e300, -2.5, 1e21].map(floatText);
    expect(texts).toEqual('0 80 999999 1e+06 1.23456789e+08 0.1 0.0001 1e-05 1.5e+300 -2.5 1e+21'.split(' '));
  });

  it('integerText() prints whole numbers in full', () => {
    expect([1000000, 0.5].map(integerText)).toEqual(['1000000', '0.5']);
  });

  it('goQuote() escapes as %q does', () => {
    expect(goQuote('a"\\\n\t\x00\x7f é 😀\u200b\u00a0\ufeff')).toBe(
      '"a\\"\\\\\\n\\t\\x00\\x7f é 😀\\u200b\\u00a0\\ufeff"',
    );
  });

  it('goJson() escapes as json-iterator does, which writes fieldsV1', () => {
    expect(goJson('<a>&\u2028\b\f\n\\b"é')).toBe('"\\u003ca\\u003e\\u0026\\u2028\\u0008\\u000c\\n\\\\b\\"é"');
    expect([1, 1.5, true, null].map(goJson)).toEqual(['1', '1.5', 'true', 'null']);
  });

  it('goValue(), goSyntax() and goType() print JSON as Go decodes it', () => {
    const value = { b: [1, 'x', null, true], a: { c: 1.5 } };
    expect(goValue(value)).toBe('map[a:map[c:1.5] b:[1 x <nil> true]]');
    expect(goSyntax(value)).toBe(
      'map[string]interface {}{"a":map[string]interface {}{"c":1.5}, "b":[]interface {}{1, "x", interface {}(nil), true}}',
    );
    expect([1, 1.5, 'x', true, [], {}, null].map(goType)).toEqual([
      'int64',
      'float64',
      'string',
      'bool',
      '[]interface {}',
      'map[string]interface {}',
      '<nil>',
    ]);
  });
});
