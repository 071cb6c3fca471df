import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { type Choice, keyOf } from './choice.ts';
import { metadataFaults, metadataVariants } from './generate-metadata.ts';
import type { Random } from './random.ts';

/** The body of a deletion, or none. */
export const deletion = (choice: Choice): JsonObject | undefined => {
  const { random } = choice;
  if (random.chance(0.35)) return undefined;
  const key = keyOf(choice);
  const seen = random.pick(['first', 'last']);
  const preconditions = random.weighted<JsonObject | undefined>([
    [6, undefined],
    [2, { uid: `<uid ${key} ${seen}>` }],
    [2, { resourceVersion: `<rv ${key} ${seen}>` }],
    [1, { uid: `<uid ${key} last>`, resourceVersion: `<rv ${key} last>` }],
    [0.5, { uid: 'wrong' }],
  ]);
  return {
    ...(random.chance(0.5) && { kind: 'DeleteOptions', apiVersion: 'v1' }),
    ...(preconditions && { preconditions }),
    ...(random.chance(0.35) && {
      propagationPolicy: random.pick(['Background', 'Foreground', 'Orphan', 'Foreground', 'Other']),
    }),
    ...(random.chance(0.2) && { gracePeriodSeconds: random.pick([0, 0, 1, 20, -1]) }),
    ...(random.chance(0.04) && { orphanDependents: random.chance(0.5) }),
    ...(random.chance(0.03) && { dryRun: ['All'] }),
  };
};

interface Leaf {
  readonly path: string;
  readonly value: unknown;
}

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** The values of a merge patch with their pointers, inner objects included. */
const leavesOf = (value: unknown, path: string): readonly Leaf[] => {
  const inner = isPlainObject(value)
    ? Object.entries(value).flatMap(([name, member]) => leavesOf(member, `${path}/${escapePointer(name)}`))
    : [];
  return path === '' ? inner : [{ path, value }, ...inner];
};

interface Places {
  /** A value to write. */
  readonly leaf: () => Leaf;
  /** A value that probably exists. */
  readonly present: () => Leaf;
}

const operation = (random: Random, { leaf, present }: Places): JsonObject => {
  const { path, value } = leaf();
  const there = random.chance(0.85) ? present() : leaf();
  const isList = Array.isArray(value) && value.length > 0;
  return random.weighted<JsonObject>([
    [7, { op: 'add', path, value }],
    [3, { op: 'replace', path: there.path, value: random.chance(0.5) ? there.value : value }],
    [4, { op: 'remove', path: there.path }],
    [1.5, { op: 'test', path: there.path, value: there.value }],
    [isList ? 2 : 0, { op: 'add', path: `${path}/-`, value: isList ? value[0] : null }],
    [isList ? 1 : 0, { op: 'remove', path: `${path}/0` }],
    [isList ? 0.5 : 0, { op: 'add', path: `${path}/9`, value: isList ? value[0] : null }],
    [0.5, { op: 'copy', from: there.path, path }],
    [0.5, { op: 'move', from: there.path, path }],
    [0.15, { op: 'frobnicate', path }],
    [0.15, { op: 'add', path: `${path}/missing/deep`, value }],
    [0.15, { op: 'add', path: path.slice(1), value }],
  ]);
};

const depthOf = ({ path }: Leaf): number => path.split('/').length - 1;

/** A JSON Patch of one to three operations. */
export const jsonPatch = (choice: Choice, isStatus: boolean): readonly JsonObject[] => {
  const { random, subject } = choice;
  const key = keyOf(choice);
  const added: Leaf = { path: '/metadata/labels/added', value: 'x' };
  const leaf = (): Leaf => {
    const source = random.weighted<readonly JsonObject[]>([
      [8, isStatus ? (subject.statuses ?? [{ phase: 'Any' }]).map((status) => ({ status })) : subject.variants],
      [1, subject.faults],
      [3, metadataVariants(key, subject.namespaced)],
      [0.4, metadataFaults(key)],
    ]);
    const leaves = leavesOf(random.pick(source), '');
    // Shallow paths can be added to any object.
    const shallow = leaves.filter((one) => depthOf(one) <= 2 && one.path !== '/spec' && one.path !== '/metadata');
    return random.pick(
      (shallow.length > 0 && random.chance(0.8) ? shallow : leaves).concat(leaves.length === 0 ? added : []),
    );
  };
  const basis = leavesOf({ kind: subject.kind, ...subject.base }, '').filter((one) => one.path !== '/spec');
  const present = (): Leaf => random.pick(basis);
  const length = random.weighted([
    [6, 1],
    [2, 2],
    [1, 3],
  ]);
  const operations = Array.from({ length }, () => operation(random, { leaf, present }));
  const seen = random.pick(['first', 'last', 'last']);
  return random.chance(0.1)
    ? [{ op: 'test', path: '/metadata/resourceVersion', value: `<rv ${key} ${seen}>` }, ...operations]
    : operations;
};
