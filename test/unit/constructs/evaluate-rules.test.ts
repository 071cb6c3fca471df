import { App, Chart, Lazy } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { CustomResource } from '#constructs/custom-resource.ts';
import { evaluateRules } from '#constructs/evaluate-rules.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { InvalidResourceError } from '#lib/errors.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { ACCEPTED_BY_RULES, REFUSED_BY_RULES, ruled } from '#test/unit/kind/ruled-cases.ts';

const definition = defineKind({
  ...ruled,
  owns: [],
  desired: () => ({ children: [], status: {}, state: ready('Ready', 'ready') }),
});

class Ruled extends CustomResource(definition) {}

const chartOf = (): Chart => new Chart(new App(), 'chart');
const named = (spec: unknown, name = 'web') => ({ metadata: { name }, spec: spec as object });

const refusalOf = (make: () => unknown): InvalidResourceError => {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidResourceError) return error;
  }
  throw new Error('nothing was refused');
};

describe('the construct of a kind with rules', () => {
  it.each(REFUSED_BY_RULES)('refuses $path at synth: $reason', ({ spec, path, message }) => {
    const make = () => new Ruled(chartOf(), 'web', named(spec));
    expect(make).toThrow(InvalidResourceError);
    expect(make).toThrow(`${path || '(root)'}: `);
    expect(make).toThrow(message);
  });

  it.each(ACCEPTED_BY_RULES)('accepts at synth: $reason', ({ spec }) => {
    expect(new Ruled(chartOf(), 'web', named(spec)).toJson()).toMatchObject({ spec });
  });

  it('checks rules over the resource at the latest when it is rendered, where the name is known', () => {
    const resource = new Ruled(chartOf(), 'web', { spec: { names: ['b', 'c', 'd', 'e'] } });
    expect(() => resource.toJson()).toThrow('the name all is reserved');
  });

  it('checks rules over the spec when the resource has no name yet', () => {
    expect(() => new Ruled(chartOf(), 'web', { spec: { even: 3 } })).toThrow('spec.even: 3: must be even');
  });

  it('checks rules when tokens are resolved, not before', () => {
    const even = Lazy.any({ produce: () => 3 }) as unknown as number;
    const resource = new Ruled(chartOf(), 'web', named({ even }));
    expect(() => resource.toJson()).toThrow('spec.even: 3: must be even');
  });

  it('does not evaluate rules on values that are not valid', () => {
    const refusal = refusalOf(() => new Ruled(chartOf(), 'web', named({ even: 3, names: 'a' })));
    expect(refusal.issues.map(({ path }) => path)).toEqual(['spec.names']);
  });
});

describe('evaluateRules()', () => {
  it('evaluateRules() leaves functions that are not implemented here to the API server, and evaluates all other rules', () => {
    const validations = [{ rule: "quantity(self).isGreaterThan(quantity('1'))" }, { rule: "self != '0'" }];
    const spec = s.object({ a: s.string({ maxLength: 9, validations }), b: s.string({ maxLength: 9, validations }) });
    const issues = evaluateRules({ ...ruled, validations: [], spec }, named({ a: '0', b: '2' }));
    expect(issues).toMatchObject([{ path: 'spec.a', message: expect.stringContaining("self != '0'") }]);
  });

  it('evaluateRules() reports a rule that does not compile', () => {
    const validations = [{ rule: 'self.b > 1' }];
    const shape = { ...ruled, validations: [], spec: s.object({ a: s.int32() }, { validations }) };
    const [issue] = evaluateRules(shape, named({ a: 1 }));
    expect(issue).toMatchObject({ path: 'spec', message: expect.stringContaining("undefined field 'b'") });
  });
});
