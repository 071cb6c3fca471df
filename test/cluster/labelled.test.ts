import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiVersionOf } from '#lib/kind/names.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { filtered, LABEL } from '#test/unit/support/labelled-kind.ts';
import { applyObjects, type OwnOperator, startOwnOperator, statusWith } from './own-operator.ts';

let plane: ControlPlane;
let operator: OwnOperator;
let namespace: string;

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  operator = await startOwnOperator(plane, [filtered]);
  namespace = await plane.createNamespace('labelled');
  const metadata = { name: 'shelf', namespace };
  await applyObjects(plane, { apiVersion: apiVersionOf(filtered), kind: 'Shelf', metadata, spec: { books: ['a'] } });
  const path = `/apis/demo.example.com/v1/namespaces/${namespace}/shelves/shelf`;
  await statusWith(plane, path, { observedGeneration: 1, count: 1 });
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

interface Labelled {
  readonly metadata: { readonly uid: string; readonly labels?: Readonly<Record<string, string>> };
}

describe('a kind that watches its children by label, on a real API server', () => {
  it.each([
    { path: 'pods/a', createdBy: 'POST' },
    { path: 'configmaps/c', createdBy: 'apply' },
  ])(
    'finds a child again that lost its label, and gives it back, when it was created by $createdBy',
    async ({ path }) => {
      const url = `/api/v1/namespaces/${namespace}/${path}`;
      const read = async (): Promise<Labelled['metadata']> => (await plane.request<Labelled>('GET', url)).body.metadata;
      const { uid } = await read();
      await plane.request(
        'PATCH',
        url,
        { metadata: { labels: { [LABEL]: null } } },
        { contentType: 'application/merge-patch+json' },
      );
      await waitFor('the label to be back', async () => (await read()).labels?.[LABEL] === 'shelf');
      expect((await read()).uid).toBe(uid);
    },
  );

  it('asks for nothing that it has no right to', async () => {
    expect(await operator.forbidden()).toEqual([]);
  });
});
