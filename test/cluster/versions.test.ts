import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/state.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { s } from '#lib/kind/schema.ts';
import type { VersionShape } from '#lib/kind/shape.ts';
import { between } from '#lib/kind/versions/between.ts';
import { migrateStorage } from '#lib/runtime.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { applyObjects } from './own-operator.ts';

interface Body {
  readonly apiVersion: string;
  readonly metadata: { readonly resourceVersion: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
});

afterAll(async () => {
  await plane?.stop();
});

const group = 'versions.example.com';
const text = s.string({ maxLength: 20 });
const status = s.object({ said: s.boolean() });
const version = (name: string, spec: VersionShape['spec']): VersionShape => ({ version: name, spec, status });

/** Both versions of a resource, for whoever writes and reads them. */
const pathsOf =
  (namespace: string, plural: string) =>
  (name: string): string =>
    `/apis/${group}/${name}/namespaces/${namespace}/${plural}`;

const merge = { contentType: 'application/merge-patch+json' };

describe('versions with the same fields', () => {
  it('are written and read as each other, without a webhook', async () => {
    const older = {
      ...version('v1alpha1', s.object({ text, color: s.optional(s.enum(['Red'])) })),
      deprecated: 'use v1',
    };
    const newer = version('v1', s.object({ text, color: s.optional(s.enum(['Red', 'Blue'])) }));
    const crd = compileCrd({ group, kind: 'Plain', ...newer, versions: [between(older, newer)] });
    await applyObjects(plane, crd);
    await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
    const namespace = await plane.createNamespace('plain');
    const at = pathsOf(namespace, 'plains');
    const create = async (apiVersion: string, name: string, spec: object) =>
      plane.request('POST', at(apiVersion), {
        apiVersion: `${group}/${apiVersion}`,
        kind: 'Plain',
        metadata: { name },
        spec,
      });
    await waitFor('both versions to be served', async () =>
      (await Promise.all(['v1alpha1', 'v1'].map(async (each) => plane.request('GET', at(each))))).every(
        (answer) => answer.status === 200,
      ),
    );
    expect((await create('v1alpha1', 'a', { text: 'a', color: 'Red' })).status).toBe(201);
    expect((await create('v1', 'b', { text: 'b', color: 'Blue' })).status).toBe(201);
    const a = (await plane.request<Body>('GET', `${at('v1')}/a`)).body;
    expect([a.apiVersion, a.spec]).toEqual([`${group}/v1`, { text: 'a', color: 'Red' }]);
    const b = await plane.request<Body>('PATCH', `${at('v1alpha1')}/b`, { spec: { text: 'c' } }, merge);
    expect([b.status, b.body.spec]).toEqual([200, { text: 'c', color: 'Blue' }]);
    await waitFor('kubectl to warn of the deprecated version', async () =>
      (await plane.kubectl(['-n', namespace, 'get', `plains.v1alpha1.${group}`])).stderr.includes('use v1'),
    );
  });

  it('would lose what only one of them has, which the compiler refuses', async () => {
    const older = version('v1alpha1', s.object({ text }));
    const newer = version('v1', s.object({ text, size: s.optional(s.int32()) }));
    const shape = { group, kind: 'Lossy', ...newer };
    expect(() => compileCrd({ ...shape, versions: [between(older, newer)] })).toThrow('[version-conversion]');
    const [small, large] = [older, newer].map((each) => compileCrd({ ...shape, ...each }));
    const versions = [
      ...(small?.spec.versions ?? []).map((each) => ({ ...each, storage: false })),
      ...(large?.spec.versions ?? []),
    ];
    await applyObjects(plane, { ...large, spec: { ...large?.spec, versions } });
    await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
    const at = pathsOf(await plane.createNamespace('lossy'), 'lossies');
    await waitFor('both versions to be served', async () =>
      (await Promise.all(['v1alpha1', 'v1'].map(async (each) => plane.request('GET', at(each))))).every(
        (answer) => answer.status === 200,
      ),
    );
    await plane.request('POST', at('v1'), {
      apiVersion: `${group}/v1`,
      kind: 'Lossy',
      metadata: { name: 'a' },
      spec: { text: 'a', size: 7 },
    });
    await plane.request('PATCH', `${at('v1alpha1')}/a`, { spec: { text: 'b' } }, merge);
    expect((await plane.request<Body>('GET', `${at('v1')}/a`)).body.spec).toEqual({ text: 'b' });
  });
});

describe('migrateStorage()', () => {
  it('rewrites what is stored in an older version, after which that version can be dropped', async () => {
    const spec = s.object({ text });
    const [older, newer] = [version('v1alpha1', spec), version('v1', spec)];
    const identity = {
      group,
      kind: 'Memo',
      owns: [],
      desired: () => ({ children: [], status: {}, state: ready('A', 'a') }),
    };
    const first = defineKind({ ...identity, ...older });
    const second = defineKind({ ...identity, ...newer, versions: [between(older, newer)] });
    const last = defineKind({ ...identity, ...newer });
    await applyObjects(plane, compileCrd(first));
    await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
    const at = pathsOf(await plane.createNamespace('memos'), 'memos');
    const body = { apiVersion: `${group}/v1alpha1`, kind: 'Memo', spec: { text: 'a' } };
    const names = Array.from({ length: 20 }, (_, index) => `m${index}`);
    await waitFor('memos to be served', async () => (await plane.request('GET', at('v1alpha1'))).status === 200);
    await Promise.all(
      names.map(async (name) => plane.request('POST', at('v1alpha1'), { ...body, metadata: { name } })),
    );
    const refused = await plane.kubectl(['replace', '-f', '-'], { input: JSON.stringify(compileCrd(last)) });
    expect(refused.code).not.toBe(0);

    await applyObjects(plane, compileCrd(second));
    await waitFor('v1 to be served', async () => (await plane.request('GET', at('v1'))).status === 200);
    const versionsOf = async (): Promise<string[]> =>
      (await plane.request<{ items: Body[] }>('GET', at('v1'))).body.items.map(
        ({ metadata }) => metadata.resourceVersion,
      );
    const before = new Set(await versionsOf());
    const env = { KUBECONFIG: plane.kubeconfig, LOG_LEVEL: 'silent' };
    const migrated = { name: `memos.${group}`, version: 'v1', left: ['v1alpha1'] };
    expect(await migrateStorage({ kinds: [second], env })).toEqual([{ ...migrated, rewritten: names.length }]);
    expect((await versionsOf()).filter((each) => before.has(each))).toEqual([]);
    expect(await migrateStorage({ kinds: [second], env })).toEqual([]);

    await applyObjects(plane, compileCrd(last));
    await waitFor('v1alpha1 to be gone', async () => (await plane.request('GET', at('v1alpha1'))).status === 404);
    let items: readonly Body[] = [];
    await waitFor('v1 to be served alone', async () => {
      const { status: code, body: list } = await plane.request<{ items: Body[] }>('GET', at('v1'));
      ({ items = [] } = list);
      return code === 200;
    });
    expect(items.map((each) => each.spec)).toEqual(names.map(() => ({ text: 'a' })));
  });
});
