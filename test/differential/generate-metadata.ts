import type { JsonObject } from '#lib/json.ts';

const metadata = (members: JsonObject): JsonObject => ({ metadata: members });

const owner = (uid: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'a',
  uid,
  ...more,
});

const someUid = '00000000-aaaa-bbbb-cccc-000000000001';
const otherUid = '00000000-aaaa-bbbb-cccc-000000000002';

/**
 * Valid merge patches of metadata.
 *
 * @param key - the object's key in memories
 */
export const metadataVariants = (key: string, namespaced: boolean): readonly JsonObject[] => [
  metadata({ labels: { tier: 'web' } }),
  metadata({ labels: { tier: 'db' } }),
  metadata({ labels: { tier: 'web', app: 'x' } }),
  metadata({ labels: { tier: null } }),
  // A sequence finds its cluster-scoped objects only by label.
  ...(namespaced ? [metadata({ labels: null }), metadata({ labels: {} })] : []),
  metadata({ annotations: { note: 'one' } }),
  metadata({ annotations: { note: 'two', 'example.com/more': '' } }),
  metadata({ annotations: null }),
  metadata({ finalizers: ['diff.example.com/hold'] }),
  metadata({ finalizers: ['diff.example.com/hold', 'diff.example.com/second'] }),
  metadata({ finalizers: [] }),
  metadata({ finalizers: null }),
  metadata({ ownerReferences: [owner(someUid)] }),
  metadata({ ownerReferences: [owner(someUid, { controller: true }), owner(otherUid, { blockOwnerDeletion: true })] }),
  metadata({ ownerReferences: [owner(`<uid ${key} first>`)] }),
  metadata({ ownerReferences: [] }),
  metadata({ ownerReferences: null }),
];

/** Invalid merge patches of metadata, and patches of fields that only the server may set. */
export const metadataFaults = (key: string): readonly JsonObject[] => [
  metadata({ labels: { tier: 'not a label!' } }),
  metadata({ labels: { 'bad key!': 'x' } }),
  metadata({ labels: { tier: 5 } }),
  metadata({ labels: ['tier'] }),
  metadata({ annotations: { 'bad key!': 'x' } }),
  metadata({ annotations: { note: true } }),
  metadata({ finalizers: ['Not Qualified!'] }),
  metadata({ finalizers: 'diff.example.com/hold' }),
  metadata({ finalizers: ['diff.example.com/late'] }),
  metadata({ ownerReferences: [owner('')] }),
  metadata({ ownerReferences: [owner(someUid, { kind: '' }), owner(otherUid, { name: '' })] }),
  metadata({ ownerReferences: [owner(someUid, { controller: true }), owner(otherUid, { controller: true })] }),
  metadata({ ownerReferences: [owner(someUid), owner(someUid)] }),
  metadata({ ownerReferences: [owner(someUid, { apiVersion: 'v1', kind: 'Event' })] }),
  metadata({ ownerReferences: [owner(someUid, { apiVersion: 'a/b/c' })] }),
  metadata({ generation: 77 }),
  metadata({ creationTimestamp: '2020-01-01T00:00:00Z' }),
  metadata({ creationTimestamp: 'yesterday' }),
  metadata({ deletionTimestamp: '2020-01-01T00:00:00Z' }),
  metadata({ deletionGracePeriodSeconds: 5 }),
  metadata({ selfLink: '/somewhere' }),
  metadata({ managedFields: [] }),
  metadata({ managedFields: [{}] }),
  metadata({ managedFields: [{ manager: 'one', operation: 'Update', apiVersion: 'v1', fieldsType: 'Other' }] }),
  metadata({ unknown: 'x' }),
  metadata({ uid: `<uid ${key} last>` }),
  metadata({ name: '<ns>-renamed' }),
  metadata({ namespace: 'moved' }),
  { metadata: null },
  { metadata: 'text' },
  { kind: 'Renamed' },
  { apiVersion: 'renamed/v1' },
];
