import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byName, childPlaceOf, placeOf, scopedName } from '#lib/desired/observe/scoped-name.ts';

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?$/);

describe('placeOf()', () => {
  it('placeOf() finds what scopedName() named, from wherever it is named', () => {
    fc.assert(
      fc.property(label, label, fc.constantFrom('', 'here'), (namespace, name, from) => {
        const home = from === '' ? namespace : from;
        const said = scopedName({ metadata: { name, namespace: home } }, { from });
        expect(placeOf({ scope: 'Namespaced' }, said, { from })).toEqual({ namespace: home, name });
        expect(placeOf({ scope: 'Cluster' }, scopedName({ metadata: { name } }, { from }), { from })).toEqual({
          namespace: '',
          name,
        });
      }),
    );
  });

  it.each(['web', '/web', ''])('placeOf() knows no place when a cluster-scoped resource says %j', (name) => {
    expect(placeOf({ scope: 'Namespaced' }, name, { from: '' })).toBeUndefined();
  });
});

describe('childPlaceOf()', () => {
  it('childPlaceOf() finds what scopedName() named, in any namespace', () => {
    fc.assert(
      fc.property(label, label, label, (namespace, name, from) => {
        const said = scopedName({ metadata: { name, namespace } }, { from });
        expect(childPlaceOf({ scope: 'Namespaced' }, said, { from })).toEqual({ namespace, name });
      }),
    );
  });

  it('a look-up of a namespaced resource reaches no other namespace, in contrast to a child', () => {
    const name = 'kube-system/secret';
    expect(childPlaceOf({ scope: 'Namespaced' }, name, { from: 'team' })?.namespace).toBe('kube-system');
    expect(placeOf({ scope: 'Namespaced' }, name, { from: 'team' })).toEqual({ namespace: 'team', name });
  });
});

describe('byName()', () => {
  it('byName() sorts by name, and by namespace where names are the same', () => {
    const objects = [
      { metadata: { name: 'b', namespace: 'x' } },
      { metadata: { name: 'a', namespace: 'y' } },
      { metadata: { name: 'b', namespace: 'a' } },
    ];
    expect(objects.toSorted(byName).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      'y/a',
      'a/b',
      'x/b',
    ]);
  });
});
