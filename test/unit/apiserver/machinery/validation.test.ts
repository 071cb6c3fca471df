import { describe, expect, it } from 'vitest';
import { required } from '#lib/apiserver/machinery/field-error.ts';
import {
  asPrefix,
  isDns1035Label,
  isDns1123LabelText,
  isDns1123Subdomain,
  isKindName,
  isLabelValue,
  isPathSegmentName,
  isQualifiedName,
} from '#lib/apiserver/machinery/validation/content.ts';
import { onceValid } from '#lib/apiserver/machinery/validation/field.ts';
import {
  checkKubeFinalizers,
  checkLabels,
  namesThat,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '#lib/apiserver/machinery/validation/object-meta.ts';

/** Accepts objects with the member `ok`, and counts its calls. */
const counted = () => {
  let calls = 0;
  const check = onceValid((path, { ok }) => {
    calls += 1;
    return ok === true ? [] : [required(path)];
  });
  return { check, calls: () => calls };
};

describe('onceValid()', () => {
  it('returns a check that checks a frozen valid object once', () => {
    const { check, calls } = counted();
    const valid = Object.freeze({ ok: true });
    expect([check('a', valid), check('b', valid), calls()]).toEqual([[], [], 1]);
  });

  it('returns a check that reports the errors of an invalid object each time, with the path', () => {
    const { check } = counted();
    const invalid = Object.freeze({ ok: false });
    expect([check('a', invalid), check('b', invalid)]).toEqual([[required('a')], [required('b')]]);
  });

  it('returns a check that does not remember an object that can change', () => {
    const { check } = counted();
    const object = { ok: true };
    expect(check('a', object)).toEqual([]);
    object.ok = false;
    expect(check('a', object)).toEqual([required('a')]);
  });
});

const long = 'a'.repeat(64);
const meta = { name: 'web', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const rules = { names: namesThat(isDns1123Subdomain), isNamespaced: false };

// Expected texts are those of apimachinery v0.36.4, pkg/util/validation and pkg/api/validate/content.
describe('checks of strings', () => {
  it.each([
    ['isDns1123Label()', isDns1123LabelText, 'web-1'],
    ['isDns1123Subdomain()', isDns1123Subdomain, 'a.b-c.d'],
    ['isDns1035Label()', isDns1035Label, 'v1alpha1'],
    ['isKindName()', isKindName, 'PodSet'],
    ['isQualifiedName()', isQualifiedName, 'example.com/My_name'],
    ['isLabelValue()', isLabelValue, ''],
    ['isPathSegmentName()', isPathSegmentName, '...'],
    ['asPrefix()', asPrefix(isDns1123LabelText), 'web-'],
  ])('%s finds nothing wrong with a good one', (_, check, text) => expect(check(text)).toEqual([]));

  it.each([
    ['isDns1123Label()', 'a.b', isDns1123LabelText, ['must not contain dots']],
    ['isDns1123Label()', long, isDns1123LabelText, ['must be no more than 63 characters']],
    ['isLabelValue()', long, isLabelValue, ['must be no more than 63 bytes']],
    ['isQualifiedName()', long, isQualifiedName, ['name part must be no more than 63 bytes']],
    ['isPathSegmentName()', 'a/%', isPathSegmentName, ["may not contain '/'", "may not contain '%'"]],
    ['isPathSegmentName()', '..', isPathSegmentName, ["may not be '..'"]],
    [
      'isDns1035Label()',
      '1a',
      isDns1035Label,
      [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ],
    ],
  ])('%s says what is wrong with %j', (_, text, check, problems) => expect(check(text)).toEqual(problems));
});

describe('metadata of objects', () => {
  it('checkLabels() sorts errors by key', () => {
    expect(checkLabels('p', { c: '', 'b/': '', '/a': '' }).map(({ message }) => message.slice(0, 19))).toEqual([
      'Invalid value: "/a"',
      'Invalid value: "b/"',
      'Invalid value: "b/"',
    ]);
  });

  it('validateObjectMeta() finds nothing wrong with good metadata', () => {
    expect(validateObjectMeta(meta, rules)).toEqual([]);
    expect(validateObjectMetaUpdate({ ...meta, labels: { a: 'b' } }, meta)).toEqual([]);
  });

  it('validateObjectMeta() refuses a namespace, an event as an owner and two conflicting finalizers', () => {
    const owner = { apiVersion: 'v1', kind: 'Event', name: '<e>', uid: 'u' };
    const bad = { ...meta, namespace: 'ns', ownerReferences: [owner], finalizers: ['orphan', 'foregroundDeletion'] };
    expect(validateObjectMeta(bad, rules).map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'metadata.namespace: Forbidden: not allowed on this type',
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"\\u003ce\\u003e","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ]);
  });

  it('validateObjectMetaUpdate() refuses another uid, and new finalizers of what is being deleted', () => {
    const old = { ...meta, deletionTimestamp: '2026-01-01T00:00:00Z' };
    const errors = validateObjectMetaUpdate({ ...old, uid: 'v', finalizers: ['b/b', 'a/a'] }, old);
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/a", "b/b"}',
      'metadata.uid: Invalid value: "v": field is immutable',
    ]);
  });

  it('checkKubeFinalizers() refuses names without a domain that the system does not know', () => {
    expect(checkKubeFinalizers({ ...meta, finalizers: ['orphan', 'a/b', 'mine'] })).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'metadata.finalizers[2]',
        message: 'Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
      },
    ]);
  });
});
