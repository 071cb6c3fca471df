import { App, Chart } from 'cdk8s';
import { compileCrd } from 'cdk8s-reconcile';
import { Operator } from 'cdk8s-reconcile/constructs';
import { describe, expect, it } from 'vitest';
import { compiled } from '#lib/cli/project/definitions.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { InvalidDefinitionError, type Issue } from '#lib/errors.ts';
import { ConfigMap, Node } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { note } from '#test/unit/bad-input/operators.ts';

const issuesOf = (work: () => unknown): readonly Issue[] => {
  try {
    work();
    return [];
  } catch (error) {
    return (error as { readonly issues: readonly Issue[] }).issues;
  }
};

const rules = (issues: readonly Issue[]): readonly string[] => issues.map(({ rule = '' }) => rule).toSorted();

const synth = (kind: AnyKindDefinition) =>
  new Operator(new Chart(new App(), 'app'), 'op', { kinds: [kind], image: 'op:1' });

const WRONG: readonly (readonly [reason: string, kind: AnyKindDefinition, rule: string])[] = [
  ['a text has no bound', { ...note, spec: s.object({ text: s.string() }) }, 'bound-length'],
  [
    'a default does not fit',
    { ...note, spec: s.object({ n: s.unsafe({ type: 'string', default: 5, maxLength: 9 }) }) },
    'default-fits',
  ],
  ['a namespaced kind owns what is in no namespace', { ...note, owns: [Node] }, 'cluster-child'],
  ['a kind is owned twice', { ...note, owns: [ConfigMap, ConfigMap] }, 'kind-named-twice'],
];

describe('compileCrd(), dev and synth', () => {
  it.each(WRONG)('compileCrd(), dev and synth refuse the same definition when %s', (_, kind, rule) => {
    const found = issuesOf(() => compileCrd(kind));
    expect(rules(found)).toContain(rule);
    expect(found.every(({ message, fix }) => message !== '' && fix !== undefined)).toBe(true);
    expect(rules(issuesOf(() => compiled(kind)))).toEqual(rules(found));
    expect(rules(issuesOf(() => synth(kind)))).toEqual(rules(found));
    expect(() => compileCrd(kind)).toThrow(InvalidDefinitionError);
  });

  it.each([
    { member: 'group', rule: 'group' },
    { member: 'version', rule: 'version' },
    { member: 'kind', rule: 'names' },
    { member: 'spec', rule: 'object-part' },
    { member: 'status', rule: 'object-part' },
  ])('compileCrd(), dev and synth refuse a definition without $member, with the way out', ({ member, rule }) => {
    const incomplete = { ...note, [member]: undefined };
    const issue = { path: member, rule, fix: expect.stringMatching(/./) as unknown };
    expect(issuesOf(() => compileCrd(incomplete))).toMatchObject([issue]);
    expect(issuesOf(() => compiled(incomplete))).toMatchObject([issue]);
    const path = `${member === 'kind' ? 'undefined' : note.kind} ${member}`;
    expect(issuesOf(() => synth(incomplete))).toMatchObject([{ ...issue, path }]);
  });
});
