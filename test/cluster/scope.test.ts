import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiVersionOf } from '#lib/kind/names.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { flag, fleet } from '#test/unit/support/fleet-kind.ts';
import { applyObjects, type OwnOperator, startOwnOperator, statusWith } from './own-operator.ts';

let plane: ControlPlane;
let operator: OwnOperator;
let a: string;
let b: string;

beforeAll(async () => {
  plane = await startControlPlane();
  operator = await startOwnOperator(plane, [fleet, flag]);
  a = await plane.createNamespace('harbour-a');
  b = await plane.createNamespace('harbour-b');
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

const API = '/apis/demo.example.com/v1';

const fleetWith = (name: string, spec: object) => ({
  apiVersion: apiVersionOf(fleet),
  kind: 'Fleet',
  metadata: { name },
  spec,
});

const statusCode = async (path: string): Promise<number> => (await plane.request('GET', path)).status;

const harbour = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps/harbour`;

describe('a cluster-scoped kind on a real API server', () => {
  it('owns cluster-scoped objects and objects in several namespaces, which the garbage collector leaves alone and takes in the end', async () => {
    await applyObjects(plane, fleetWith('north', { colour: 'red', harbours: [a, b] }));
    expect(
      await statusWith(plane, `${API}/fleets/north`, { harbours: `${a} ${b}`, observedGeneration: 1 }),
    ).toMatchObject({ harbours: `${a} ${b}`, observedGeneration: 1 });
    // The child's own controller reports on it as well.
    expect(await statusWith(plane, `${API}/flags/north`, { observedGeneration: 1 })).toMatchObject({
      observedGeneration: 1,
    });
    await applyObjects(plane, fleetWith('north', { colour: 'blue', harbours: [b] }));
    expect(await statusWith(plane, `${API}/fleets/north`, { harbours: b, observedGeneration: 2 })).toMatchObject({
      harbours: b,
      observedGeneration: 2,
    });
    expect(await statusWith(plane, `${API}/flags/north`, { observedGeneration: 2 })).toMatchObject({
      observedGeneration: 2,
    });
    expect([await statusCode(harbour(a)), await statusCode(harbour(b))]).toEqual([404, 200]);
    await plane.request('DELETE', harbour(b));
    await waitFor('the harbour to be back', async () => (await statusCode(harbour(b))) === 200);
    await plane.request('DELETE', `${API}/fleets/north`);
    await waitFor('the children to be gone', async () => {
      const codes = [await statusCode(harbour(b)), await statusCode(`${API}/flags/north`)];
      return codes.every((code) => code === 404);
    });
  });

  it('reads objects of all namespaces, and wakes when they change', async () => {
    await applyObjects(plane, fleetWith('south', { colour: 'red', harbours: [a] }));
    expect(await statusWith(plane, `${API}/fleets/south`, { visible: '' })).toMatchObject({ visible: '' });
    const chart = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'chart', namespace: a } };
    await applyObjects(plane, chart);
    expect(await statusWith(plane, `${API}/fleets/south`, { visible: a })).toMatchObject({ visible: a });
  });

  it('needs no right that the bundle does not grant', async () => {
    expect(await operator.forbidden()).toEqual([]);
  });
});
