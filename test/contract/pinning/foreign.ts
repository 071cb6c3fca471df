import * as fc from 'fast-check';
import { isPlainObject } from '#lib/json.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import type { ApiObject, KubeApi } from '#lib/kube/interface/api.ts';

/** A foreign write to a child. `pick` selects one of the existing paths. */
export interface ForeignWrite {
  readonly does:
    | 'add'
    | 'overwrite'
    | 'overwrite and restore'
    | 'remove'
    | 'co-own'
    | 'take over'
    | 'let go'
    | 'turn round'
    | 'append'
    | 'prepend'
    | 'report status';
  readonly pick: number;
}

/** Several foreign writes, one after the other. */
export const foreignWrites: fc.Arbitrary<readonly ForeignWrite[]> = fc.array(
  fc.record({
    does: fc.constantFrom<ForeignWrite['does'][]>(
      'add',
      'overwrite',
      'overwrite and restore',
      'remove',
      'co-own',
      'take over',
      'let go',
      'turn round',
      'append',
      'prepend',
      'report status',
    ),
    pick: fc.nat({ max: 1000 }),
  }),
  { maxLength: 4 },
);

type Path = readonly string[];

/** The paths of an object's values, through members only. */
const pathsOf = (value: unknown, path: Path = []): readonly { readonly path: Path; readonly value: unknown }[] =>
  isPlainObject(value)
    ? Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name]))
    : [{ path, value }];

const named = new Set(['apiVersion', 'kind', 'metadata.name', 'metadata.namespace', 'metadata.ownerReferences']);

const at = (path: Path, value: unknown): object =>
  path.reduceRight<unknown>((below, name) => ({ [name]: below }), value) as object;

const valueAt = (object: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, name) => (isPlainObject(value) ? value[name] : undefined), object);

const pointer = (path: Path): string =>
  path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const otherThan = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return value.slice(1);
  return value === 'foreign' ? 'other' : 'foreign';
};

const strangers: Readonly<Record<string, unknown>> = {
  containers: { name: 'stranger', image: 'busybox' },
  parts: { name: 'stranger' },
  steps: { at: 'stranger' },
  tags: 'stranger',
  words: 'stranger',
};

const strangerIn = (path: Path, kind: KindRef): unknown => {
  const name = path.at(-1) ?? '';
  if (name === 'ports') return kind.kind === 'Service' ? { name: 'stranger', port: 9999 } : { containerPort: 9999 };
  return strangers[name];
};

const isStranger = (element: unknown): boolean =>
  element === 'stranger' || (isPlainObject(element) && Object.values(element).includes('stranger'));

/** Removes the list elements of the stranger from a value: a change of such an element is no drift. */
const withoutStrangers = (value: unknown): unknown =>
  Array.isArray(value) ? value.filter((element) => !isStranger(element)) : value;

/** A client that writes to a child that it does not own. */
export interface Stranger {
  readonly api: KubeApi;
  readonly kind: KindRef;
  readonly namespace: string;
  readonly name: string;
}

const picked = <T>(list: readonly T[], pick: number): T | undefined => list[pick % Math.max(1, list.length)];

/**
 * Sends the write, as far as the server accepts it.
 *
 * @param intent - the child as the loop sent it
 * @returns the path of a field of the intent whose value has changed
 */
export const interfere = async (
  { api, kind, namespace, name }: Stranger,
  { does, pick }: ForeignWrite,
  intent: KubeObject,
): Promise<Path | undefined> => {
  const target = { namespace, name };
  const merge = async (patch: object): Promise<ApiObject> =>
    api.patch(kind, target, patch, { type: 'merge', fieldManager: 'kubectl-edit' });
  const applyAs = async (object: object): Promise<ApiObject> => {
    const head = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name } };
    const { metadata = {}, ...rest } = object as KubeObject;
    return api.apply(
      kind,
      target,
      { ...head, ...rest, metadata: { ...metadata, ...head.metadata } },
      { fieldManager: 'another-applier', force: true },
    );
  };
  const leaves = pathsOf(intent).filter(({ path }) => !named.has(path.join('.')));
  const leaf = picked(leaves, pick);
  const list = picked(
    leaves.filter(({ value }) => Array.isArray(value)),
    pick,
  );
  const before = leaf && valueAt(await api.get(kind, target), leaf.path);
  switch (does) {
    case 'add':
      await merge({ metadata: { [pick % 2 === 0 ? 'labels' : 'annotations']: { theirs: String(pick) } } });
      return undefined;
    case 'overwrite':
      if (leaf) await merge(at(leaf.path, otherThan(before)));
      break;
    case 'overwrite and restore':
      if (!leaf) return undefined;
      await merge(at(leaf.path, otherThan(before)));
      await merge(at(leaf.path, before));
      return undefined;
    case 'remove':
      if (leaf) await merge(at(leaf.path, null));
      break;
    case 'co-own':
      if (leaf) await applyAs(at(leaf.path, leaf.value));
      break;
    case 'take over':
      if (leaf) await applyAs(at(leaf.path, otherThan(leaf.value)));
      break;
    case 'let go':
      await applyAs({});
      break;
    case 'turn round': {
      if (!list) return undefined;
      const now = valueAt(await api.get(kind, target), list.path);
      if (Array.isArray(now)) await merge(at(list.path, now.toReversed()));
      return undefined;
    }
    case 'append':
    case 'prepend': {
      const value = list && strangerIn(list.path, kind);
      if (!list || value === undefined) return undefined;
      const path = `${pointer(list.path)}/${does === 'append' ? '-' : '0'}`;
      await api.patch(kind, target, [{ op: 'add', path, value }], { type: 'json', fieldManager: 'kubectl-edit' });
      return undefined;
    }
    case 'report status':
      await api.patchStatus(kind, target, { status: { replicas: pick } }, { fieldManager: 'controller' });
      return undefined;
  }
  const after = leaf && valueAt(await api.get(kind, target), leaf.path);
  const isSame = JSON.stringify(withoutStrangers(before)) === JSON.stringify(withoutStrangers(after));
  return leaf && !isSame ? leaf.path : undefined;
};
