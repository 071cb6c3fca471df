import { expect, it } from 'vitest';
import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';
import { conflictText, foremost, refusalText } from '#lib/loop/pass/report/refusal-text.ts';
import { shownList } from '#lib/loop/pass/shown-list.ts';

const refusal = (reason: RefusalReason, more: Partial<Refusal> = {}): Refusal => ({
  verb: 'create',
  kind: 'Pod',
  name: 'a',
  reason,
  attempts: 1,
  at: '2026-11-21T09:00:00.000000Z',
  ...more,
});

it('foremost() returns the first refusal with the reason that matters most', () => {
  const busy = refusal('Unavailable');
  const [denied, again] = [refusal('AdmissionDenied'), refusal('AdmissionDenied', { name: 'b' })];
  expect(foremost([busy, denied, again])).toBe(denied);
  expect(foremost([busy, denied, refusal('NamespaceTerminating')])).toMatchObject({ reason: 'NamespaceTerminating' });
  expect(foremost([busy])).toBe(busy);
  expect(foremost([])).toBeUndefined();
});

const rights =
  'the operator lacks this right, or the rights that it would hand out: name the role in `grants` of the Operator construct, and apply the install bundle';

it.each([
  { of: refusal('NamespaceTerminating'), remedy: 'the namespace is being deleted' },
  {
    of: refusal('Forbidden'),
    remedy: 'a right is missing: apply the ClusterRole and the binding of the install bundle',
  },
  ...['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'].map((kind) => ({
    of: refusal('Forbidden', { kind }),
    remedy: rights,
  })),
  {
    of: refusal('AdmissionDenied', { kind: 'Role' }),
    remedy: 'an admission policy or webhook refuses it: the event names it; change the spec, or the policy',
  },
  {
    of: refusal('Invalid'),
    remedy: 'the API server finds the object invalid: the event names the fields; change the spec',
  },
  {
    of: refusal('FieldConflict'),
    remedy: 'another field manager owns desired fields: see managedFields, and remove one of the two owners',
  },
  { of: refusal('NameConflict'), remedy: 'another object has this name: delete or rename that object' },
  {
    of: refusal('QuotaExceeded'),
    remedy: 'a ResourceQuota is used up: raise it, delete objects that it counts, or request less',
  },
  {
    of: refusal('WebhookFailed'),
    remedy: 'an admission webhook fails or does not respond: repair it, or remove its configuration',
  },
  {
    of: refusal('WebhookFailed', { webhook: 'a.example.com' }),
    remedy: 'the admission webhook "a.example.com" fails or does not respond: repair it, or remove its configuration',
  },
  { of: refusal('Unavailable'), remedy: 'the API server is busy or cannot be reached' },
])('refusalText() of $of.kind and $of.reason has the remedy "$remedy"', ({ of, remedy }) => {
  expect(refusalText(of)).toBe(`cannot create ${of.kind}: ${remedy}; trying again`);
});

const held = (count: number): readonly Refusal[] =>
  Array.from({ length: count }, (_, index) => refusal('NameConflict', { name: `n${index}` }));

it('conflictText() names at most ten objects, and counts the others', () => {
  expect(conflictText(held(2))).toBe('name taken by another object: Pod "n0", Pod "n1"; delete or rename that object');
  expect(conflictText(held(10))).toMatch(/Pod "n9"; delete or rename that object$/);
  expect(conflictText(held(12))).toMatch(/Pod "n9" and 2 more; delete or rename that object$/);
});

it.each([
  { names: [], text: '' },
  { names: ['a', 'b', 'c'], text: 'a, b, c' },
  { names: ['a', 'b', 'c', 'd', 'e'], text: 'a, b, c, 2 more' },
])('shownList() of $names is "$text"', ({ names, text }) => {
  expect(shownList(names)).toBe(text);
});
