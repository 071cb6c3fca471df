import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiVersionOf } from '#lib/kind/names.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { bookConfigMap, librarian } from '#test/unit/support/librarian-kind.ts';
import { strangersPod } from '#test/unit/support/shelf-kind.ts';
import { applyObjects, type OwnOperator, startOwnOperator, statusWith } from './own-operator.ts';

let plane: ControlPlane;
let operator: OwnOperator;
let namespace: string;
let path: string;

const spec = { wants: 'guide', tier: 'x', shelf: 's' };

beforeAll(async () => {
  plane = await startControlPlane();
  operator = await startOwnOperator(plane, [librarian]);
  namespace = await plane.createNamespace('library');
  path = `/apis/demo.example.com/v1/namespaces/${namespace}/librarians/ada`;
  const metadata = { name: 'ada', namespace };
  await applyObjects(plane, { apiVersion: apiVersionOf(librarian), kind: 'Librarian', metadata, spec });
  await statusWith(plane, path, { wanted: 'missing', listed: '', orphans: '' });
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

describe('look-ups on a real API server', () => {
  it('wake the resource when what was looked up appears, changes and vanishes', async () => {
    await applyObjects(plane, bookConfigMap('guide', { namespace }));
    expect(await statusWith(plane, path, { wanted: 'guide' })).toMatchObject({ wanted: 'guide' });
    await applyObjects(plane, bookConfigMap('guide', { namespace, text: 'second edition' }));
    expect(await statusWith(plane, path, { wanted: 'second edition' })).toMatchObject({ wanted: 'second edition' });
    await plane.request('DELETE', `/api/v1/namespaces/${namespace}/configmaps/guide`);
    expect(await statusWith(plane, path, { wanted: 'missing' })).toMatchObject({ wanted: 'missing' });
  });

  it('wake the resource when the members of a list change', async () => {
    await applyObjects(plane, bookConfigMap('one', { namespace, labels: { tier: 'x' } }));
    expect(await statusWith(plane, path, { listed: 'one' })).toMatchObject({ listed: 'one' });
    await applyObjects(plane, bookConfigMap('one', { namespace, labels: { tier: 'y' } }));
    expect(await statusWith(plane, path, { listed: '' })).toMatchObject({ listed: '' });
  });

  it('wake the resource when an orphan appears and when it changes its labels', async () => {
    await applyObjects(plane, strangersPod('stray', { namespace, labels: { shelf: 's' } }));
    expect(await statusWith(plane, path, { orphans: 'stray' })).toMatchObject({ orphans: 'stray' });
    await applyObjects(plane, strangersPod('stray', { namespace, labels: { shelf: 't' } }));
    expect(await statusWith(plane, path, { orphans: '' })).toMatchObject({ orphans: '' });
  });

  it('need no right that the bundle does not grant', async () => {
    expect(await operator.forbidden()).toEqual([]);
  });
});
