import { type Atom, noFields, scalarAtoms, untyped } from './atom.ts';

const listOf = (element: Atom, keys?: readonly string[]): Atom => ({
  list: { isAtomic: keys === undefined, keys: keys ?? [], element },
  only: 'list',
});

const structOf = (fields: Readonly<Record<string, Atom>>, isAtomic = false): Atom => ({
  map: {
    isAtomic,
    fields: new Map(Object.entries(fields).map(([name, atom]) => [name, { atom, default: undefined }])),
    element: undefined,
  },
  only: 'map',
});

const textMap: Atom = { map: { isAtomic: false, fields: noFields, element: scalarAtoms.string }, only: 'map' };

const { string: text, numeric: number, boolean: flag, untyped: time } = scalarAtoms;

const ownerReference = structOf(
  { apiVersion: text, blockOwnerDeletion: flag, controller: flag, kind: text, name: text, uid: text },
  true,
);

/** The type of metadata. As on the real server, this type replaces the type of metadata in the schema of a custom resource. */
const objectMeta: Atom = structOf({
  annotations: textMap,
  creationTimestamp: time,
  deletionGracePeriodSeconds: number,
  deletionTimestamp: time,
  finalizers: listOf(text, []),
  generateName: text,
  generation: number,
  labels: textMap,
  managedFields: listOf(untyped),
  name: text,
  namespace: text,
  ownerReferences: listOf(ownerReference, ['uid']),
  resourceVersion: text,
  selfLink: text,
  uid: text,
});

/** Members that every object has in addition to the members of its schema. */
export const typeMeta = { apiVersion: text, kind: text, metadata: objectMeta } as const;
