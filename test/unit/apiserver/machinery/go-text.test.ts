import { describe, expect, it } from 'vitest';
import { scalarJson } from '#lib/apiserver/apply/fields/scalar-json.ts';
import { goPlain, goSyntax, goType } from '#lib/apiserver/machinery/text/go-format.ts';
import {
  goFloat,
  goJson,
  goNumber,
  goQuote,
  goStruct,
  goValue,
  jsonTypeOf,
} from '#lib/apiserver/machinery/text/go-text.ts';

// Go 1.26 printed the expected texts; that of scalarJson() follows json-iterator's stream_str.go.
describe('Go texts', () => {
  it('goFloat() prints as %v does with a float64', () => {
    const texts = [0, 80, 999999, 1e6, 123456789, 0.1, 0.0001, 0.00001, 1.5e300, -2.5, 1e21].map(goFloat);
    expect(texts).toEqual('0 80 999999 1e+06 1.23456789e+08 0.1 0.0001 1e-05 1.5e+300 -2.5 1e+21'.split(' '));
  });

  it('goNumber() prints whole numbers in full', () => {
    expect([1000000, 0.5].map(goNumber)).toEqual(['1000000', '0.5']);
  });

  it('goQuote() escapes as %q does', () => {
    expect(goQuote('a"\\\n\t\x00\x7f é 😀\u200b\u00a0\ufeff')).toBe(
      '"a\\"\\\\\\n\\t\\x00\\x7f é 😀\\u200b\\u00a0\\ufeff"',
    );
  });

  it('scalarJson() escapes as json-iterator does, which writes fieldsV1', () => {
    expect(scalarJson('<a>&\u2028\b\f\n\\b"é')).toBe('"\\u003ca\\u003e\\u0026\\u2028\\u0008\\u000c\\n\\\\b\\"é"');
    expect([1, 1.5, true, null].map(scalarJson)).toEqual(['1', '1.5', 'true', 'null']);
    expect(['a<b', 'a>b', 'a&b', 'ab"', 'a\\b', 'apps/v1:x.y-z_0'].map(scalarJson)).toEqual([
      '"a\\u003cb"',
      '"a\\u003eb"',
      '"a\\u0026b"',
      '"ab\\""',
      '"a\\\\b"',
      '"apps/v1:x.y-z_0"',
    ]);
  });

  it('goPlain(), goSyntax() and goType() print JSON as Go decodes it', () => {
    const value = { b: [1, 'x', null, true], a: { c: 1.5 } };
    expect(goPlain(value)).toBe('map[a:map[c:1.5] b:[1 x <nil> true]]');
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

  it.each([
    [1, '1'],
    [1e20, '100000000000000000000'],
    [1e21, '1e+21'],
    [0.1, '0.1'],
    [1234567.5, '1.2345675e+06'],
    [0.00001, '1e-05'],
    [1.5e-7, '1.5e-07'],
  ])('goNumber() prints %d', (value, text) => expect(goNumber(value)).toBe(text));

  it('goJson() sorts names and escapes what HTML would read', () => {
    expect(goJson({ b: '<', a: [null, true] })).toBe('{"a":[null,true],"b":"\\u003c"}');
    expect(goValue({ a: 1 })).toBe('{"a":1}');
  });

  it('goStruct() keeps the order of members', () => {
    expect(goValue(goStruct({ b: '<', a: [undefined, { d: 1, c: undefined }] }))).toBe(
      '{"b":"\\u003c","a":[null,{"d":1}]}',
    );
  });

  it.each([
    [null, 'object'],
    [[], 'array'],
    [true, 'bool'],
    ['x', 'string'],
  ])('jsonTypeOf() of %j', (value, type) => expect(jsonTypeOf(value)).toBe(type));

  it.each([
    ['a"b\\', '"a\\"b\\\\"'],
    ['\t\n\u0001\u007f', '"\\t\\n\\x01\\x7f"'],
    ['ä😀\u200b\u00a0', '"ä😀\\u200b\\u00a0"'],
  ])('goQuote() quotes %j', (text, quoted) => expect(goQuote(text)).toBe(quoted));
});
