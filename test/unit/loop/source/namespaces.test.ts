import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { assertNamespaces, namespacesIn } from '#lib/loop/source/namespaces.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

describe('namespacesIn()', () => {
  it.each([
    { text: undefined, names: undefined },
    { text: '', names: undefined },
    { text: '  ', names: undefined },
    { text: 'team-a', names: ['team-a'] },
    { text: 'team-a, team-b,team-a', names: ['team-a', 'team-b'] },
  ])('namespacesIn() gives $names when it is given "$text"', ({ text, names }) => {
    expect(namespacesIn(text)).toEqual(names);
  });

  it.each(['Team', 'a,,b', 'a;b', '*', 'a/b', '-a', 'a'.repeat(64)])(
    'namespacesIn() says which name is wrong, and what to do, when it is given "%s"',
    (text) => {
      expect(() => namespacesIn(text)).toThrow(ConfigurationError);
      expect(() => namespacesIn(text)).toThrow(/WATCH_NAMESPACE is ".*": ".*" cannot be .*; name namespaces as in/);
    },
  );
});

describe('assertNamespaces()', () => {
  it.each([
    { names: 'team-a' as never, says: 'namespaces is "team-a", which is no list; name namespaces as in' },
    { names: [], says: 'namespaces is empty' },
    { names: ['a', 'b', 'a'], says: 'namespaces has "a" twice' },
    { names: ['a', 'B'], says: 'namespaces has "B", which cannot be' },
  ])('assertNamespaces() refuses $names with a way out', ({ names, says }) => {
    expect(() => assertNamespaces(names, [shelf])).toThrow(`Cannot start: ${says}`);
  });

  it('assertNamespaces() refuses a cluster-scoped kind that owns objects in namespaces', () => {
    const hall = defineKind({ ...shelf, kind: 'Hall', plural: 'halls', scope: 'Cluster' });
    expect(() => assertNamespaces(['a'], [shelf])).not.toThrow();
    expect(() => assertNamespaces(['a'], [hall])).toThrow('Hall belongs to no namespace and owns pods');
  });
});
