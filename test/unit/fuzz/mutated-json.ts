import * as fc from 'fast-check';
import { isPlainObject, type Json } from '#lib/json.ts';
import { memberNames, oddJson } from './odd-json.ts';

/** A change at one place of a JSON value. */
interface Mutation {
  readonly place: number;
  readonly change: 'replace' | 'delete' | 'repeat' | 'add';
  readonly name: string;
  readonly value: Json;
}

const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    place: fc.nat(200),
    change: fc.constantFrom('replace', 'delete', 'repeat', 'add'),
    name: memberNames,
    value: oddJson,
  }),
  { maxLength: 3 },
);

type Path = readonly string[];

const pathsIn = (value: Json, path: Path = []): readonly Path[] =>
  typeof value === 'object' && value !== null && path.length < 12
    ? [path, ...Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]))]
    : [path];

const changed = (value: Json, path: Path, mutation: Mutation): Json | undefined => {
  const [name, ...rest] = path;
  if (name === undefined) return changedHere(value, mutation);
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    return items.flatMap((item, index) => {
      if (String(index) !== name) return [item];
      const fresh = changed(item, rest, mutation);
      if (fresh === undefined) return [];
      return mutation.change === 'repeat' && rest.length === 0 ? [fresh, fresh] : [fresh];
    });
  }
  const entries = Object.entries(value as Readonly<Record<string, Json>>).flatMap(([key, member]) => {
    const fresh = key === name ? changed(member, rest, mutation) : member;
    return fresh === undefined ? [] : [[key, fresh] as const];
  });
  return Object.fromEntries(entries);
};

const changedHere = (value: Json, { change, name, value: fresh }: Mutation): Json | undefined => {
  if (change === 'delete') return undefined;
  if (change === 'replace') return fresh;
  if (change === 'add' && isPlainObject(value)) return { ...value, [name]: fresh };
  return value;
};

/** A valid value with up to three changes. */
export const mutated = (value: Json): fc.Arbitrary<Json> =>
  mutations.map((all) => {
    let result = value;
    for (const mutation of all) {
      const paths = pathsIn(result);
      result = changed(result, paths[mutation.place % paths.length] ?? [], mutation) ?? null;
    }
    return result;
  });
