import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergePatch } from '#lib/apiserver/server/patch/merge-patch.ts';
import { canonical } from '#lib/desired/canonical/canonical.ts';
import { passClock } from '#lib/desired/clock.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { noOutcomes } from '#lib/desired/observe/create-observation.ts';
import { progressing, ready, type State, stalled } from '#lib/desired/result/state.ts';
import type { JsonObject } from '#lib/json.ts';
import { noteConditionOwners } from '#lib/loop/cache/projection/condition-owners.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import {
  conditionsIn,
  nextStatus,
  ownStatus,
  readyFlips,
  statusDiffers,
  statusPatch,
} from '#lib/loop/pass/report/status.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { passRelated } from '#lib/loop/related/pass-related.ts';
import { parent } from '#test/unit/support/plan-inputs.ts';

const seenWith = (status?: object): Snapshot => ({
  key: keyOf('default', 'web'),
  uid: parent().metadata.uid,
  resource: { ...parent(), ...(status === undefined ? {} : { status }) },
  resourceVersion: '42',
  finalizers: [],
  children: [],
  orphans: [],
  restored: [],
  related: passRelated({ definition: {}, related: new Map() }, parent()),
  refused: [],
  outcomes: noOutcomes,
  pins: new Map(),
  immutables: new Map(),
  clock: passClock(Date.parse('2026-11-21T09:30:00Z') * 1000),
});

/** A snapshot with a condition for each type; another manager set all of them. */
const seenWithTheirs = (...types: readonly string[]): Snapshot => {
  const conditions = types.map((type) => ({ type, status: 'True', reason: 'Theirs', message: '' }));
  const seen = seenWith({ conditions });
  const fields = Object.fromEntries(types.map((type) => [`k:${JSON.stringify({ type })}`, {}]));
  const entry = { manager: 'theirs', subresource: 'status', fieldsV1: { 'f:status': { 'f:conditions': fields } } };
  const metadata = { ...parent().metadata, resourceVersion: '42', managedFields: [entry] };
  noteConditionOwners(seen.resource, { apiVersion: 'v1', kind: 'Shelf', metadata });
  return seen;
};

const refusal = (reason: Refusal['reason'], name = 'web-1'): Refusal => ({
  verb: 'create',
  kind: 'Pod',
  name,
  reason,
  attempts: 1,
  at: '2026-11-21T09:30:00.000000Z',
});

const statusFor = (state: State, refused: readonly Refusal[] = [], status: object = {}): object =>
  nextStatus(seenWith(), { children: [], status, state }, { refused, fieldManager: 'ours' });

/** The conditions that are True, as `type reason: message`. */
const trueConditions = (status: object): string[] => {
  const { conditions } = status as { conditions: { type: string; status: string; reason: string; message: string }[] };
  return conditions.filter((it) => it.status === 'True').map((it) => `${it.type} ${it.reason}: ${it.message}`);
};

const fine = ready('Fine', 'all is well');

const withReady = (status: string) => ({
  conditions: [
    { type: 'Stalled', status: 'x' },
    { type: 'Ready', status },
  ],
});

const patchOf = (before: object | undefined, after: Readonly<Record<string, unknown>>): unknown =>
  (statusPatch(seenWith(before), after) as { readonly status: unknown }).status;

describe('nextStatus()', () => {
  it('nextStatus() is what the function reports, the generation and the conditions', () => {
    expect(statusFor(fine, [], { replicas: 3, note: null, none: undefined })).toMatchObject({
      replicas: 3,
      observedGeneration: 3,
      conditions: [
        { type: 'Ready', status: 'True', observedGeneration: 3 },
        { type: 'Reconciling' },
        { type: 'Stalled' },
      ],
    });
    expect(Object.keys(statusFor(fine, [], { replicas: 3, note: null, none: undefined })).toSorted()).toEqual([
      'conditions',
      'observedGeneration',
      'replicas',
    ]);
  });

  it('nextStatus() wins when the function reports conditions or a generation as if they were its own', () => {
    expect(statusFor(fine, [], { observedGeneration: 99, conditions: [] })).toMatchObject({
      observedGeneration: 3,
      conditions: [{ type: 'Ready' }, { type: 'Reconciling' }, { type: 'Stalled' }],
    });
  });

  it.each([
    { state: fine, refused: [], expected: 'Ready Fine: all is well', reason: 'nothing was refused' },
    {
      state: fine,
      refused: [refusal('QuotaExceeded')],
      expected:
        'Reconciling QuotaExceeded: cannot create Pod: a ResourceQuota is used up: raise it, delete objects that it counts, or request less; trying again',
      reason: 'a refusal counts more than hope',
    },
    {
      state: progressing('Filling', '1 of 2'),
      refused: [refusal('Unavailable')],
      expected: 'Reconciling Unavailable: cannot create Pod: the API server is busy or cannot be reached; trying again',
      reason: 'a refusal says more than progress',
    },
    {
      state: stalled('BadSpec', 'no'),
      refused: [refusal('QuotaExceeded')],
      expected: 'Stalled BadSpec: no',
      reason: 'the function knows that trying again is of no use',
    },
    {
      state: fine,
      refused: [refusal('QuotaExceeded', 'a'), refusal('NameConflict', 'b'), refusal('NameConflict', 'c')],
      expected: 'Stalled NameConflict: name taken by another object: Pod "b", Pod "c"; delete or rename that object',
      reason: 'a name conflict needs an action of a user, so it has the highest priority',
    },
  ])('nextStatus() says "$expected" when $reason', ({ state, refused, expected }) => {
    expect(trueConditions(statusFor(state, refused))).toEqual([expected]);
  });

  it('nextStatus() contains the conditions of the function', () => {
    const conditions = [{ type: 'Available', status: 'True', reason: 'Enough', message: '3 of 3' }] as const;
    const status = nextStatus(
      seenWith(),
      { children: [], status: {}, state: fine, conditions },
      { refused: [], fieldManager: 'ours' },
    );
    expect(trueConditions(status)).toContain('Available Enough: 3 of 3');
  });

  it('nextStatus() keeps the conditions of other controllers, unless the kind has a condition of the same type', () => {
    const status = nextStatus(
      seenWithTheirs('Accepted', 'Ready'),
      { children: [], status: {}, state: fine },
      { refused: [], fieldManager: 'ours' },
    );
    expect(trueConditions(status)).toEqual(['Ready Fine: all is well', 'Accepted Theirs: ']);
  });

  it('nextStatus() is the same text at every attempt', () => {
    const first = statusFor(fine, [refusal('QuotaExceeded')]);
    expect(statusFor(fine, [{ ...refusal('QuotaExceeded'), attempts: 9, at: '2026-11-21T10:00:00.000000Z' }])).toEqual(
      first,
    );
  });
});

describe('conditionsIn()', () => {
  it.each([{}, { conditions: null }, { conditions: 'text' }])('conditionsIn() is empty for %o', (status) => {
    expect(conditionsIn(status)).toEqual([]);
  });
});

describe('ownStatus()', () => {
  it('ownStatus() leaves out the conditions of other controllers', () => {
    const seen = seenWithTheirs('Accepted');
    const conditions = [{ type: 'Ready' }, { type: 'Accepted' }];
    expect(ownStatus({ fieldManager: 'ours' }, seen, { conditions })).toEqual({ conditions: [{ type: 'Ready' }] });
    expect(ownStatus({ fieldManager: 'theirs' }, seen, { conditions })).toEqual({
      conditions: [{ type: 'Accepted' }, { type: 'Ready' }],
    });
  });

  it('ownStatus() sorts the conditions by type, and adds none', () => {
    const conditions = ['Stalled', 'Ready', 'Reconciling'].map((type) => ({ type }));
    const ours = { fieldManager: 'ours' };
    expect(ownStatus(ours, seenWith(), { conditions, a: 1 })).toEqual({
      conditions: [{ type: 'Ready' }, { type: 'Reconciling' }, { type: 'Stalled' }],
      a: 1,
    });
    expect(ownStatus(ours, seenWith(), { a: 1 })).toEqual({ a: 1 });
  });
});

describe('statusDiffers()', () => {
  it.each([
    { before: { b: 1, a: { d: 1, c: 2 } }, differs: false, reason: 'members come in another order' },
    { before: { a: { c: 2, d: 1 }, b: 1, gone: null }, differs: false, reason: 'a null means absent' },
    { before: { a: { c: 2, d: 1 } }, differs: true, reason: 'a member is missing' },
    { before: { a: { c: 2, d: 1 }, b: 1, more: 0 }, differs: true, reason: 'a member is too many' },
    { before: { a: { c: 2, d: 2 }, b: 1 }, differs: true, reason: 'something within differs' },
    { before: undefined, differs: true, reason: 'there is no status yet' },
  ])('statusDiffers() is $differs when $reason', ({ before, differs }) => {
    expect(statusDiffers(seenWith(before), { a: { c: 2, d: 1 }, b: 1 })).toBe(differs);
  });

  it('statusDiffers() is false when nothing was reported and nothing is to be', () => {
    expect(statusDiffers(seenWith(), {})).toBe(false);
  });
});

describe('readyFlips()', () => {
  it.each([
    { before: withReady('True'), after: withReady('True'), flips: false, reason: 'Ready stays' },
    { before: withReady('False'), after: withReady('True'), flips: true, reason: 'Ready becomes true' },
    { before: withReady('True'), after: withReady('False'), flips: true, reason: 'Ready becomes false' },
    { before: undefined, after: withReady('False'), flips: true, reason: 'Ready is said for the first time' },
    {
      before: { conditions: [] },
      after: withReady('False'),
      flips: true,
      reason: 'the stored status has no condition',
    },
  ])('readyFlips() is $flips when $reason', ({ before, after, flips }) => {
    expect(readyFlips(seenWith(before), after)).toBe(flips);
  });
});

describe('statusPatch()', () => {
  it('statusPatch() holds for the observed version only', () => {
    expect(statusPatch(seenWith(), {})).toMatchObject({ metadata: { resourceVersion: '42' } });
  });

  it.each([
    { before: undefined, after: { a: 1 }, patch: { a: 1 }, reason: 'there was no status' },
    { before: { a: 1 }, after: { a: 1 }, patch: { a: 1 }, reason: 'all of it is sent, so that no mixture can arise' },
    { before: { a: 1, b: 2 }, after: { a: 1 }, patch: { a: 1, b: null }, reason: 'a member vanishes' },
    {
      before: { m: { x: 1, y: 2 } },
      after: { m: { y: 3 } },
      patch: { m: { x: null, y: 3 } },
      reason: 'one within vanishes',
    },
    { before: { m: 1 }, after: { m: { y: 3 } }, patch: { m: { y: 3 } }, reason: 'a scalar becomes an object' },
    { before: { m: { y: 3 } }, after: { m: 1 }, patch: { m: 1 }, reason: 'an object becomes a scalar' },
    {
      before: { l: [{ a: 1, b: 2 }] },
      after: { l: [{ a: 1 }] },
      patch: { l: [{ a: 1 }] },
      reason: 'lists are replaced',
    },
    { before: { l: [1] }, after: { l: [] }, patch: { l: [] }, reason: 'a list becomes empty' },
    { before: { m: [1] }, after: { m: { a: 1 } }, patch: { m: { a: 1 } }, reason: 'a list becomes an object' },
  ])('statusPatch() is $patch when $reason', ({ before, after, patch }) => {
    expect(patchOf(before, after)).toEqual(patch);
  });

  it.each([{ name: 'constructor' }, { name: 'toString' }, { name: 'valueOf' }])(
    'statusPatch() removes a member of the name $name when it vanishes',
    ({ name }) => {
      expect(patchOf({ perName: { [name]: 1, kept: 1 } }, { perName: { kept: 1 } })).toEqual({
        perName: { [name]: null, kept: 1 },
      });
    },
  );

  it('statusPatch() brings any status to any other', () => {
    const statuses = fc
      .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.jsonValue({ maxDepth: 3 }))
      .map((value) => canonical(value) as Readonly<Record<string, unknown>>);
    fc.assert(
      fc.property(statuses, statuses, (before, after) => {
        const result = mergePatch(before, patchOf(before, after) as JsonObject);
        expect(JSON.stringify(canonical(result))).toBe(JSON.stringify(after));
      }),
    );
  });
});
