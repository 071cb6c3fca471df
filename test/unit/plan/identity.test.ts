import { describe, expect, it } from 'vitest';
import { elsewhereName } from '#lib/desired/marks/elsewhere.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, type KubeObject } from '#lib/kind/handles/reference.ts';
import { identityOf } from '#lib/plan/identity.ts';

const definition = { group: 'app.example.com', version: 'v1alpha1', kind: 'PodSet' };
const Namespace = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' } as const;
const extension = { ...definition, kind: 'Tenant', extension: { of: Namespace, onRelease: 'keep' } } as const;
const parent = { namespace: 'team', name: 'web', uid: 'uid-web' };
const away = elsewhere(ConfigMap, { namespaces: ['monitoring'] });

const LABEL = 'app.example.com/podset';
const TENANT = 'app.example.com/tenant';
const ELSEWHERE = 'cdk8s-reconcile/elsewhere';
const PARENT = 'cdk8s-reconcile/parent';
const MARK = 'app.example.com/podset app.example.com/v1alpha1 PodSet team/web';

const object = (metadata: KubeObject['metadata']): KubeObject => ({ metadata: { name: 'a', ...metadata } });
const controller = {
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  name: 'web',
  uid: 'uid-web',
  controller: true,
};
const reference = { apiVersion: 'v1', kind: 'Namespace', name: 'web', uid: 'uid-web' };
const awayChild = object({
  name: elsewhereName({ metadata: parent }, 'a'),
  namespace: 'monitoring',
  labels: { [ELSEWHERE]: 'uid-web' },
  annotations: { [PARENT]: MARK },
});

// Each test has an identity of its own: a mutation test changes the code only while a test runs.
const identityAtHome = () => identityOf({ ...definition }, ConfigMap);
const identityOfExtension = () => identityOf({ ...extension });
const identityElsewhere = () => identityOf({ ...definition }, away);

describe('identityOf() a child in the namespace of its resource', () => {
  it('identityOf() marks the child by a label and a controller reference that a foreground deletion waits for', () => {
    const identity = identityAtHome();
    expect(identity.labelsOf(parent)).toEqual({ [LABEL]: 'web' });
    expect(identity.annotationsOf(parent)).toEqual({});
    expect(identity.referencesOf(parent)).toEqual([controller]);
    expect(identity.newReferencesOf(parent)).toEqual([{ ...controller, blockOwnerDeletion: true }]);
    expect(identity.placeOf(parent)).toEqual({ namespace: 'team', word: 'uid-web' });
  });

  it('identityOf() recognizes the child by its controller only', () => {
    const identity = identityAtHome();
    expect(identity.ownerOf(object({ ownerReferences: [controller] }))).toEqual(controller);
    expect(identity.ownerOf(object({ ownerReferences: [reference], labels: { [TENANT]: 'uid-web' } }))).toBeUndefined();
    expect(identity.ownerOf(object({ labels: { [LABEL]: 'web' } }))).toBeUndefined();
    expect(identity.ownerOf(awayChild)).toBeUndefined();
    expect(identity.isLost(object({ annotations: { 'cdk8s-reconcile/intent': 'restored' } }), 'uid-web')).toBe(false);
  });

  it('identityOf() is the same object for the same definition', () => {
    expect(identityOf(definition)).toBe(identityOf(definition, ConfigMap));
    expect(identityOf({ ...definition })).not.toBe(identityOf(definition));
    expect(identityOf(definition, away)).toBe(identityOf(definition, away));
  });
});

describe('identityOf() a child of an extension', () => {
  const child = object({ labels: { [TENANT]: 'uid-web' }, ownerReferences: [reference] });

  it('identityOf() marks the child by a label with the uid and a reference without controller', () => {
    const identity = identityOfExtension();
    expect(identity.labelsOf(parent)).toEqual({ [TENANT]: 'uid-web' });
    expect(identity.annotationsOf(parent)).toEqual({});
    expect(identity.referencesOf(parent)).toEqual([reference]);
    expect(identity.newReferencesOf(parent)).toEqual([reference]);
    expect(identity.placeOf(parent)).toEqual({ namespace: 'team', word: `uid-web ${TENANT}` });
  });

  it('identityOf() recognizes the child by the label of the extension', () => {
    const identity = identityOfExtension();
    expect(identity.ownerOf(child)).toEqual(reference);
    const other = object({ labels: { [LABEL]: 'uid-web' }, ownerReferences: [reference] });
    expect(identity.ownerOf(other)).toBeUndefined();
  });

  const mark = { annotations: { 'cdk8s-reconcile/intent': 'abcdefghij' } };

  it.each([
    { lost: { ...mark, labels: { [TENANT]: 'uid-web' } }, is: true, reason: 'only the label is left' },
    { lost: { ...mark, ownerReferences: [reference] }, is: true, reason: 'only the reference is left' },
    { lost: { labels: { [TENANT]: 'uid-web' } }, is: false, reason: 'the annotation is missing' },
    { lost: { ...mark, labels: { [TENANT]: 'uid-other' } }, is: false, reason: 'the label names another parent' },
    {
      lost: { ...mark, labels: { [TENANT]: 'uid-other' }, ownerReferences: [reference] },
      is: false,
      reason: 'the label and the reference name different parents',
    },
    { lost: mark, is: false, reason: 'neither the label nor the reference is there' },
    {
      lost: { ...mark, ownerReferences: [{ ...reference, uid: 'uid-other' }] },
      is: false,
      reason: 'the reference names another parent',
    },
    {
      lost: { ...mark, ownerReferences: [{ ...reference, uid: 'uid-other' }, reference] },
      is: true,
      reason: 'the second reference names the parent',
    },
    {
      lost: { ...mark, labels: { [TENANT]: 'uid-web' }, ownerReferences: [controller] },
      is: false,
      reason: 'the object has a controller',
    },
    { lost: undefined, is: false, reason: 'the object has no metadata' },
  ])('isLost() is $is when $reason', ({ lost, is }) => {
    expect(identityOfExtension().isLost(lost ? object(lost) : {}, 'uid-web')).toBe(is);
  });
});

describe('identityOf() a child elsewhere', () => {
  it('identityOf() marks the child by a label and an annotation, without an owner reference', () => {
    const identity = identityElsewhere();
    expect(identity.labelsOf(parent)).toEqual({ [ELSEWHERE]: 'uid-web' });
    expect(identity.annotationsOf(parent)).toEqual({ [PARENT]: MARK });
    expect(identity.referencesOf(parent)).toEqual([]);
    expect(identity.newReferencesOf(parent)).toEqual([]);
    expect(identity.placeOf(parent)).toEqual({ namespace: '', word: 'app.example.com/podset team/web' });
  });

  it('identityOf() recognizes the child by the marks of its own definition', () => {
    const identity = identityElsewhere();
    const { controller: _, ...owner } = controller;
    expect(identity.ownerOf(awayChild)).toEqual(owner);
    expect(identityOf({ ...definition, kind: 'Other' }, away).ownerOf(awayChild)).toBeUndefined();
    expect(identity.ownerOf(object({ ownerReferences: [controller] }))).toBeUndefined();
    expect(identity.isLost(awayChild, 'uid-web')).toBe(false);
  });
});
