import { describe, expect, it } from 'vitest';
import { definitionStatus, specOf } from '#lib/apiserver/crd/definition.ts';
import { acceptNames, establish, isEstablished } from '#lib/apiserver/crd/naming.ts';
import { awaitsCleanup, finishCleanup, markForDeletion, startCleanup } from '#lib/apiserver/crd/termination.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { definition, judgedUpdate, stored } from './definitions.ts';

const now = '2026-01-01T00:00:00Z';
const later = '2026-01-02T00:00:00Z';

const things = (): ServerObject => stored(definition());
const settled = (crd: ServerObject, definitions: readonly ServerObject[] = []): ServerObject =>
  establish(acceptNames(crd, { definitions, now }), now);
const conditionsOf = (crd: ServerObject): string[] =>
  (definitionStatus(crd).conditions ?? []).map(
    ({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`,
  );

const NAMES = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };

describe('a definition', () => {
  it('starts as a real server stores it', () => {
    const crd = things();
    expect(specOf(crd)).toMatchObject({ names: NAMES, conversion: { strategy: 'None' } });
    expect(crd['status']).toEqual({
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: ['v1'],
    });
    expect(crd.metadata.generation).toBe(1);
    expect(isEstablished(crd)).toBe(false);
  });

  it('gets its names and is established', () => {
    const crd = settled(things());
    expect(definitionStatus(crd).acceptedNames).toEqual(NAMES);
    expect(conditionsOf(crd)).toEqual([
      'NamesAccepted True NoConflicts: no conflicts found',
      'Established True InitialNamesAccepted: the initial names have been accepted',
    ]);
    expect(settled(crd)).toBe(crd);
  });

  it('does not get names that another one has', () => {
    const first = settled(things());
    const names = { plural: 'others', kind: 'Thing', shortNames: ['things'] };
    const second = stored(definition({ names }, 'example.com', 'others'));
    const refused = settled(second, [first, second]);
    expect(conditionsOf(refused)).toEqual([
      'NamesAccepted False ListKindConflict: "ThingList" is already in use',
      'Established False NotAccepted: not all names are accepted',
    ]);
    expect(definitionStatus(refused).acceptedNames).toEqual({ plural: 'others', kind: '' });
    expect(settled(refused, [first, refused])).toBe(refused);
    expect(isEstablished(settled(refused, [refused]))).toBe(true);
  });

  it('does not share names across groups', () => {
    const other = settled(stored(definition({}, 'other.com')));
    expect(isEstablished(settled(things(), [other]))).toBe(true);
  });

  it('changes the time of a condition with its status only', () => {
    const crd = settled(things());
    const again = establish({ ...crd, spec: {} }, later);
    expect(definitionStatus(again).conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([now, now]);
  });

  it('is immutable in what its objects are stored by', () => {
    const old = settled(things());
    const spec = { ...specOf(old), scope: 'Namespaced', names: { ...NAMES, kind: 'Other' } };
    expect(judgedUpdate({ ...old, spec }, old)).toEqual([
      { reason: 'FieldValueInvalid', field: 'spec.scope', message: 'Invalid value: "Namespaced": field is immutable' },
      { reason: 'FieldValueInvalid', field: 'spec.names.kind', message: 'Invalid value: "Other": field is immutable' },
    ]);
    expect(judgedUpdate(old, old)).toEqual([]);
  });

  it('keeps versions of which objects may be stored', () => {
    const old = { ...settled(things()), status: { storedVersions: ['v0', 'v1'] } };
    expect(judgedUpdate(old, old)).toMatchObject([{ field: 'status.storedVersions[0]' }]);
  });

  it('stays until its objects are gone', () => {
    const marked = markForDeletion(settled(things()), later);
    expect(marked.metadata).toMatchObject({
      deletionTimestamp: later,
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
    });
    expect(awaitsCleanup(marked)).toBe(true);
    expect(conditionsOf(marked).at(-1)).toBe(
      'Terminating True InstanceDeletionPending: CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    );
    const done = finishCleanup(startCleanup(marked, later), later);
    expect(awaitsCleanup(done)).toBe(false);
    expect(done.metadata).not.toHaveProperty('finalizers');
    expect(conditionsOf(done).at(-1)).toBe('Terminating False InstanceDeletionCompleted: removed all instances');
  });
});
