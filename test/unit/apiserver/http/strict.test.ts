import { describe, expect, it } from 'vitest';
import { textProblemsIn } from '#lib/apiserver/http/request/strict.ts';

describe('textProblemsIn()', () => {
  it.each([
    ['{"a":{"b":1,"c":[{"x":1},{"x":2,"x":{"y":"}"}}],"b":2}}', ['a.c[1].x', 'a.b']],
    ['{"a":1,"a":2,"a":3}', ['a']],
    [String.raw`{"q\"":{"a":"\\","a":"{,"},"q\"":1}`, ['q".a', 'q"']],
    ['[{"op":"add","op":"test"}]', ['[0].op']],
    ['{"a":{"x":1},"b":{"x":1},"c":[["a","a"],"a:"]}', []],
  ])('finds the members of JSON that come twice: %s', (text, paths) => {
    expect(textProblemsIn(text, false)).toEqual(paths.map((path) => `duplicate field "${path}"`));
  });

  it('finds the lines of YAML at which keys come again', () => {
    const text = '\nspec:\n  foo: 1\n  "foo": 2\n  bar: {a: 1, a: 2}\n';
    expect(textProblemsIn(text, true)).toEqual([
      'yaml: unmarshal errors:\n  line 4: key "foo" already set in map\n  line 5: key "a" already set in map',
    ]);
    expect(textProblemsIn('a: 1\nb: {a: 1}\n', true)).toEqual([]);
  });
});
