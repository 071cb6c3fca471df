import { describe, expect, it } from 'vitest';
import { definitionOf, judged } from '#test/unit/apiserver/crd/definitions.ts';

const text = { type: 'string', maxLength: 9 };
const properties = {
  x: { type: 'integer' },
  b: { type: 'boolean' },
  y: text,
  l: { type: 'array', maxItems: 3, items: text },
};

/** The column in the error about an expression of a wrong type, from 0. */
const columnOf = (rule: string): number => {
  const spec = { type: 'object', properties, 'x-kubernetes-validations': [{ rule }] };
  const { causes = [] } = judged(definitionOf({ type: 'object', properties: { spec } }));
  const error = /<input>:1:(\d+): (?:found no matching overload|expected type)/;
  const [, column] = error.exec(causes[0]?.message ?? '') ?? [];
  return Number(column) - 1;
};

// Each operator is at the place that kube-apiserver 1.36.4 names.
describe('definitionStrategy', () => {
  it.each([
    'self.b ? self.x : self.b',
    "self.y == '?' ? self.x : self.b",
    '(self.b ? self.b : self.b) ? self.x : self.b',
    String.raw`self.y == r'?\d' ? self.x : self.b`,
    String.raw`self.y == "a\"?" ? self.x : self.b`,
    "self.y == '''?'?''' ? self.x : self.b",
    "self.y.contains('?') ? self.x : self.b",
    "self.y in ['a?', '?'] ? self.x : self.b",
    "self.l.exists(i, i == '?') ? self.x : self.b",
    "{'?': true}['?'] ? self.x : self.b",
  ])('validateCreate() finds the condition of %s', (rule) => {
    expect(columnOf(rule)).toBe(rule.lastIndexOf('?'));
  });

  it.each([
    '[1, self.b && self.b] == []',
    "[1, self.y == '&&' && self.b] == []",
    '[1, (self.b && self.b) && self.b] == []',
  ])('validateCreate() finds the last operator of %s', (rule) => {
    expect(columnOf(rule)).toBe(rule.lastIndexOf('&&'));
  });
});
