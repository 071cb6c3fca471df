import { describe, expect, it } from 'vitest';
import { type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import { patchOf, pointer } from '#lib/plan/decide/patch.ts';
import type { FieldTree } from '#lib/plan/fields/pin.ts';
import { childOf, Settings } from '#test/unit/support/plan-inputs.ts';

interface Traits {
  readonly kind?: KindRef;
  readonly metadata?: object;
  readonly more?: object;
  readonly labels?: Readonly<Record<string, string>>;
  readonly tree?: FieldTree;
  readonly resourceVersion?: string;
}

const leaves = (...names: string[]): FieldTree => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));

/** The patch for a pod with the owned labels `old` and `kept`, of which the intent has `kept` only. */
const patchFor = ({ kind = Pod, metadata, more = {}, labels, tree = {}, resourceVersion }: Traits = {}) =>
  patchOf({
    kind,
    live: {
      ...childOf(kind, 'a', { labels: labels ?? { old: '1', kept: '1' } }),
      owned: {
        set: { id: 'all', tree: { 'f:metadata': { 'f:labels': leaves('old', 'kept') }, ...tree } },
        values: 1,
      },
    },
    wanted: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', namespace: 'default', labels: { kept: '2' }, ...metadata },
      ...more,
    },
    resourceVersion,
  });

const isUid = { op: 'test', path: '/metadata/uid', value: 'uid-pods-a' };
const removesOld = { op: 'remove', path: '/metadata/labels/old' };
const setsKept = { op: 'add', path: '/metadata/labels/kept', value: '2' };

describe('patchOf()', () => {
  it('patchOf() tests the uid, removes labels that are no longer in the intent, and sets the fields of the intent', () => {
    expect(patchFor()).toEqual([isUid, removesOld, setsKept]);
  });

  it('patchOf() tests the resource version if one is given', () => {
    const isVersion = { op: 'test', path: '/metadata/resourceVersion', value: '7' };
    expect(patchFor({ resourceVersion: '7' })).toEqual([isUid, isVersion, removesOld, setsKept]);
  });

  it.each([
    { traits: { kind: Settings }, reason: 'the kind is not createOnce' },
    { traits: { metadata: { labels: { old: '1', kept: '2' } } }, reason: 'the intent has all owned labels' },
    { traits: { labels: { kept: '1' } }, reason: 'the label is gone already' },
    { traits: { tree: { 'f:metadata': {} } }, reason: 'no label is owned' },
    { traits: { tree: { 'f:metadata': { 'f:other': leaves('old') } } }, reason: 'another map is owned' },
  ])('patchOf() returns undefined when $reason', ({ traits }) => {
    expect(patchFor(traits)).toBeUndefined();
  });

  it('patchOf() returns undefined for a child without owned fields and without metadata', () => {
    const wanted = { apiVersion: 'v1', kind: 'Pod' };
    expect(patchOf({ kind: Pod, live: { kind: Pod, object: {} }, wanted, resourceVersion: undefined })).toBeUndefined();
  });

  it('patchOf() returns undefined for a child whose managed fields contain no metadata', () => {
    const live = { ...childOf(Pod, 'a'), owned: { set: { id: 'none', tree: {} }, values: 1 } };
    const wanted = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
    expect(patchOf({ kind: Pod, live, wanted, resourceVersion: undefined })).toBeUndefined();
  });

  it('patchOf() removes all owned labels of an intent without labels', () => {
    const patch = patchFor({ metadata: { labels: undefined } });
    expect(patch).toContainEqual(removesOld);
    expect(patch).toContainEqual({ op: 'remove', path: '/metadata/labels/kept' });
    expect(patchFor({ more: { metadata: undefined } })?.slice(1, 3)).toEqual(patch?.slice(1, 3));
  });

  it('patchOf() sets an empty list of owner references', () => {
    const setsList = { op: 'add', path: '/metadata/ownerReferences', value: [] };
    expect(patchFor({ metadata: { ownerReferences: [] } })).toEqual([isUid, removesOld, setsKept, setsList]);
  });

  it('patchOf() sets an owned map in an element member by member', () => {
    const step = { ...leaves('name'), 'f:limits': leaves('cpu') };
    const list = [{ name: 'main', limits: { cpu: 1, memory: 2 } }];
    const tree = { 'f:spec': { 'f:list': { 'k:{"name":"main"}': step } } };
    expect(patchFor({ tree, more: { spec: { list } } })?.slice(4, -1)).toEqual([
      { op: 'add', path: '/spec/list/0/limits/cpu', value: 1 },
      { op: 'add', path: '/spec/list/0/limits/memory', value: 2 },
    ]);
  });

  it('patchOf() removes an owned annotation even if the cache does not keep it', () => {
    const tree = { 'f:metadata': { 'f:annotations': leaves('a/b~c', 'note') } };
    const patch = patchFor({ tree, metadata: { labels: undefined, annotations: { note: 'n' } } });
    expect(patch).toEqual([
      isUid,
      { op: 'remove', path: '/metadata/annotations/a~1b~0c' },
      { op: 'add', path: '/metadata/labels', value: undefined },
      { op: 'add', path: '/metadata/annotations/note', value: 'n' },
    ]);
  });

  it('patchOf() sets a map without owned members as a whole, and other maps member by member', () => {
    const tree = { 'f:spec': { '.': {}, 'f:a': { 'f:b': {} }, 'f:leaf': { '.': {} } } };
    const patch = patchFor({ tree, more: { spec: { a: { b: 1, c: 2 }, leaf: { x: 1 }, new: { y: 1 }, list: [1] } } });
    expect(patch?.slice(2, -1)).toEqual([
      { op: 'add', path: '/spec/a/b', value: 1 },
      { op: 'add', path: '/spec/a/c', value: 2 },
      { op: 'add', path: '/spec/leaf', value: { x: 1 } },
      { op: 'add', path: '/spec/new', value: { y: 1 } },
      { op: 'add', path: '/spec/list', value: [1] },
    ]);
  });

  it('patchOf() sets a text in place of an owned map or list', () => {
    const tree = { 'f:spec': { 'f:a': { 'f:b': {} } } };
    const patch = patchFor({ tree, more: { spec: { a: 'text' } } });
    expect(patch).toContainEqual({ op: 'add', path: '/spec/a', value: 'text' });
  });

  it('patchOf() tests the keys of an owned element before it sets its fields, and appends other elements', () => {
    const steps = {
      'k:{"name":"main"}': leaves('name', 'image'),
      'k:{"containerPort":80,"protocol":"TCP"}': leaves('containerPort'),
      'v:"x"': {},
    };
    const tree = { 'f:spec': { 'f:list': steps } };
    const list = [{ name: 'main', image: 'new' }, { name: 'side' }, { containerPort: 80 }, 'x'];
    expect(patchFor({ tree, more: { spec: { list } } })?.slice(2, -1)).toEqual([
      { op: 'test', path: '/spec/list/0/name', value: 'main' },
      { op: 'add', path: '/spec/list/0/name', value: 'main' },
      { op: 'add', path: '/spec/list/0/image', value: 'new' },
      { op: 'add', path: '/spec/list/-', value: { name: 'side' } },
      { op: 'test', path: '/spec/list/2/containerPort', value: 80 },
      { op: 'add', path: '/spec/list/2/containerPort', value: 80 },
    ]);
  });

  it('patchOf() finds its owner reference, whose entry has no uid', () => {
    const owner = { apiVersion: 'v1', kind: 'PodSet', name: 'web', uid: 'uid-web' };
    const references = { 'k:{"uid":"(owner)"}': leaves('name', 'uid') };
    const tree = { 'f:metadata': { 'f:labels': leaves('old', 'kept'), 'f:ownerReferences': references } };
    const at = '/metadata/ownerReferences/0';
    expect(patchFor({ tree, metadata: { ownerReferences: [owner] } })?.slice(2)).toEqual([
      setsKept,
      { op: 'test', path: `${at}/uid`, value: 'uid-web' },
      { op: 'add', path: `${at}/apiVersion`, value: 'v1' },
      { op: 'add', path: `${at}/kind`, value: 'PodSet' },
      { op: 'add', path: `${at}/name`, value: 'web' },
      { op: 'add', path: `${at}/uid`, value: 'uid-web' },
    ]);
  });
});

it('pointer() escapes the characters with a meaning in JSON pointers', () => {
  expect(pointer('/a', 'b~1/c~/')).toBe('/a/b~01~1c~0~1');
  expect(pointer('', 0)).toBe('/0');
});
