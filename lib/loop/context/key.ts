/** The identity of an object within its kind: `<namespace>/<name>`. */
export type Key = string & { readonly '~key': true };

/** @returns the key of an object; a cluster-scoped object has an empty namespace */
export const keyOf = (namespace: string | undefined, name: string): Key => `${namespace ?? ''}/${name}` as Key;

/** A key in messages: without the slash before the name of a cluster-scoped object. */
export const keyText = (key: string): string => key.replace(/^\//, '');

/** The namespace of a key; empty for the key of a cluster-scoped object. */
export const namespaceOf = (key: Key): string => key.slice(0, key.indexOf('/'));

/** The name of the object of a key. */
export const nameIn = (key: Key): string => key.slice(key.indexOf('/') + 1);
