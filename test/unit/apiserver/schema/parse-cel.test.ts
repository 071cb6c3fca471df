import { parse } from '@bufbuild/cel';
import { ExprSchema } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import { equals } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { kindOfDefinition } from '#lib/apiserver/crd/kind-of-definition.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { leastCost } from '#lib/cel/cost.ts';
import { parseCel } from '#lib/cel/parse.ts';

const RULES = [
  'self.items.all(item, item.size < 3 && self.items.exists_one(other, other.name == item.name))',
  "self.name.matches('^[a-z]+$') ? size(self.items) > 0 : has(self.items)",
  '!has(oldSelf.name) || self.name == oldSelf.name',
];

const spec: StructuralSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 10 },
    items: {
      type: 'array',
      maxItems: 4,
      items: { type: 'object', properties: { name: { type: 'string' }, size: { type: 'integer' } } },
    },
  },
  'x-kubernetes-validations': RULES.map((rule) => ({ rule, messageExpression: "'not ' + self.name" })),
};

describe('parseCel()', () => {
  it('parseCel() returns the same expression for the same text', () => {
    expect(parseCel('1 + 1 == 2')).toBe(parseCel('1 + 1 == 2'));
  });

  it('parseCel() throws for each syntax error', () => {
    for (const _ of [1, 2]) expect(() => parseCel('self.')).toThrow(/1:5/);
  });

  it('parseCel() returns an expression that compilation, cost and evaluation leave as it was', () => {
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const crd = { spec: { group: 'e.com', names: { plural: 'things', kind: 'Thing' }, scope: 'Cluster', versions } };
    const {
      strategy,
      versions: [version],
    } = kindOfDefinition(crd as unknown as ServerObject);
    const thing = { apiVersion: 'e.com/v1', kind: 'Thing', metadata: { name: 'x' }, spec: { name: 'A' } };
    const { object } = strategy.decode(thing, version!);
    expect(strategy.validateCreate(object as ServerObject, version!)).not.toEqual([]);
    for (const rule of RULES) leastCost(rule, spec);
    for (const rule of RULES) expect(equals(ExprSchema, parseCel(rule).expr, parse(rule).expr)).toBe(true);
  });
});
