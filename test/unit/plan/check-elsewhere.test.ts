import { describe, expect, it } from 'vitest';
import { elsewhereName } from '#lib/desired/marks/elsewhere.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { InvalidDesiredError, type Issue } from '#lib/errors.ts';
import { PriorityClass } from '#lib/kind/handles/built-in-handles.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { checkDesired } from '#lib/plan/check.ts';
import type { PlanInput } from '#lib/plan/input.ts';
import { intentOf, parent, planInput, Settings } from '#test/unit/support/plan-inputs.ts';

const issuesOf = (input: PlanInput): readonly Issue[] => {
  try {
    checkDesired(input);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidDesiredError)) throw error;
    return error.issues;
  }
};

describe('elsewhereIssues()', () => {
  const named = elsewhere(Settings, { namespaces: ['monitoring', 'logging'] });
  const anywhere = elsewhere(Settings, { namespaces: 'any' });
  const name = elsewhereName(parent(), 'a');
  const ending = name.slice(1);

  const awayIn = (kind: KindRef, namespace: string | undefined, metadata: object = {}) => {
    const object = intentOf(kind, name, {
      metadata: { name, ...(namespace !== undefined && { namespace }), ...metadata },
    });
    const input = planInput([apply(object)], { owns: [kind] });
    return issuesOf({ ...input, ownNamespace: 'operators' });
  };

  it.each([
    { kind: named, namespace: 'monitoring' },
    { kind: named, namespace: 'logging' },
    { kind: anywhere, namespace: 'team' },
    { kind: anywhere, namespace: '2026-team' },
    { kind: elsewhere(PriorityClass), namespace: undefined },
  ])('elsewhereIssues() accepts $kind.kind in the namespace $namespace', ({ kind, namespace }) => {
    expect(awayIn(kind, namespace)).toEqual([]);
  });

  const away = 'must name another namespace than that of the parent';
  const second =
    'list the kind in owns a second time, without elsewhere(), for children in the namespace of the parent';
  const others = 'must be a namespace other than kube-* and that of the operator';
  const toAllow = 'to allow such a namespace, name it in elsewhere()';

  it.each([
    {
      kind: named,
      namespace: 'team',
      message: 'must be "monitoring" or "logging", as elsewhere() in owns allows',
      fix: 'name the namespace in elsewhere(), or write no child there',
    },
    { kind: named, namespace: undefined, message: away, fix: second },
    { kind: named, namespace: 'default', message: away, fix: second },
    { kind: anywhere, namespace: 'default', message: away, fix: second },
    { kind: anywhere, namespace: 'kube-system', message: others, fix: toAllow },
    { kind: anywhere, namespace: 'operators', message: others, fix: toAllow },
    { kind: anywhere, namespace: 'Team', message: others, fix: toAllow },
    {
      kind: elsewhere(PriorityClass),
      namespace: 'team',
      message: 'must be absent: the kind is cluster-scoped',
      fix: undefined,
    },
  ])('elsewhereIssues() reports the namespace $namespace with "$message"', ({ kind, namespace, message, fix }) => {
    const issue = { path: 'children[0].metadata.namespace', rule: 'elsewhere-namespace', message };
    expect(awayIn(kind, namespace)).toStrictEqual([
      { ...issue, value: namespace ?? '', ...(fix !== undefined && { fix }) },
    ]);
  });

  it.each([{ wrong: 'a' }, { wrong: `a${ending}x` }, { wrong: 'a-0123456789ab' }])(
    'elsewhereIssues() reports the name $wrong, which does not end with the hash of the parent',
    ({ wrong }) => {
      expect(awayIn(named, 'logging', { name: wrong })).toStrictEqual([
        {
          path: 'children[0].metadata.name',
          rule: 'elsewhere-name',
          message: `must end with "${ending}", the hash of the parent`,
          value: wrong,
          fix: 'make the name with elsewhereName()',
        },
      ]);
    },
  );

  it('elsewhereIssues() reports a name that is the hash alone, and an absent name', () => {
    for (const wrong of [ending, undefined])
      expect(awayIn(named, 'logging', { name: wrong })).toContainEqual(
        expect.objectContaining({ rule: 'elsewhere-name', value: wrong ?? '' }),
      );
  });

  it('elsewhereIssues() accepts a kind at home and elsewhere if owns has both handles', () => {
    const owns = [Settings, named];
    const object = intentOf(named, name, { metadata: { name, namespace: 'logging' } });
    const home = intentOf(Settings, 'home');
    expect(issuesOf(planInput([apply(object), apply(home)], { owns }))).toEqual([]);
    expect(issuesOf(planInput([apply(object), apply(home)], { owns: owns.toReversed() }))).toEqual([]);
  });
});
