import { describe, expect, it } from 'vitest';
import { checkRules } from '#constructs/check-rules.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { ruled } from '#test/unit/kind/ruled-cases.ts';

/** A rule that only the API server can evaluate. */
const UNKNOWN = { rule: "quantity(self).isGreaterThan(quantity('1'))" };

const issuesOf = (field: Parameters<typeof s.string>[0]) =>
  checkRules(compileCrd({ ...ruled, validations: [], spec: s.object({ a: s.string({ maxLength: 9, ...field }) }) }));

describe('checkRules()', () => {
  it('checkRules() finds nothing when only the API server can compile a rule', () => {
    expect(issuesOf({ validations: [UNKNOWN] })).toEqual([]);
  });

  it('checkRules() finds nothing when a rule has optional fields', () => {
    const spec = s.object({ a: s.optional(s.int32()) }, { validations: [{ rule: 'self.?a.orValue(1) > 0' }] });
    expect(checkRules(compileCrd({ ...ruled, validations: [], spec }))).toEqual([]);
  });

  it('checkRules() reports a rule that does not compile beside a rule that only the API server can compile', () => {
    expect(issuesOf({ validations: [UNKNOWN, { rule: 'self.size > 1' }] })).toMatchObject([
      { path: 'spec.a', rule: 'cel-compile', value: 'self.size > 1' },
    ]);
  });

  it('checkRules() reports a default that breaks a rule beside a rule that only the API server can compile', () => {
    expect(issuesOf({ default: '0', validations: [UNKNOWN, { rule: "self != '0'" }] })).toMatchObject([
      { path: 'spec.a', rule: 'default-rule', value: '0' },
    ]);
  });
});
