import { isDeepStrictEqual } from 'node:util';
import { ownedFieldsOf } from './fingerprint.ts';
import type { CachedObject } from './projection.ts';

/** What is ours counts even where nobody reads it: the next pass restores it. */
const sameOwned = (a: CachedObject, b: CachedObject): boolean => {
  const [before, after] = [ownedFieldsOf(a), ownedFieldsOf(b)];
  return before?.set === after?.set && before?.values === after?.values;
};

/** True when two states of an object differ in their resource version at most. */
export const sameButVersion = (a: CachedObject, b: CachedObject): boolean =>
  sameOwned(a, b) &&
  isDeepStrictEqual(
    { ...a, metadata: { ...a.metadata, resourceVersion: '' } },
    { ...b, metadata: { ...b.metadata, resourceVersion: '' } },
  );
