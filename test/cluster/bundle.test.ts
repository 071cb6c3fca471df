import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOperator } from '#apps/bundle.ts';
import { podEnvironment } from '#test/bench/as-in-pod.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle } from '#test/control-plane/install.ts';
import { spawnOperator, startOperator } from '#test/control-plane/operator-process.ts';
import { statusWith } from './own-operator.ts';

let plane: ControlPlane;
let folder: string;

/** Outside of the repository, as in an image: no node_modules, no source. */
const bundled = (name: string): string => join(folder, name);
const entryPoint = (): string => join(bundled('one'), 'operator.mjs');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'operator-bundle-'));
  await bundleOperator(bundled('one'));
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
});

afterAll(async () => {
  await plane?.stop();
  await rm(folder, { recursive: true, force: true });
});

const contentsOf = async (name: string): Promise<object> => {
  const files = (await readdir(bundled(name))).toSorted();
  const contents = files.map(async (file) => [file, await readFile(join(bundled(name), file), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(contents));
};

describe('the bundled operator', () => {
  it('has the same bytes when it is bundled again, somewhere else', async () => {
    await bundleOperator(bundled('two'));
    expect(await contentsOf('two')).toEqual(await contentsOf('one'));
  });

  it('reconciles with nothing but its files and the mounted credentials of a pod, its lease included', async () => {
    const namespace = await plane.createNamespace('bundle');
    await using operator = await startOperator({
      kubeconfig: '',
      entryPoint: entryPoint(),
      env: await podEnvironment(plane),
    });
    const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;
    const body = {
      apiVersion: 'app.example.com/v1alpha1',
      kind: 'PodSet',
      metadata: { name: 'web' },
      spec: { replicas: 2 },
    };
    expect((await plane.request('POST', path, body)).status).toBe(201);
    await statusWith(plane, `${path}/web`, { replicas: 2 });
    expect(await operator.stop()).toBe(0);
    expect(operator.errors()).toBe('');
  });

  it('says what is missing when it is to read a kubeconfig', async () => {
    await using operator = spawnOperator({ kubeconfig: plane.kubeconfig, entryPoint: entryPoint() });
    expect(await operator.exited).toBe(1);
    expect(operator.errors()).toMatch(
      /^operator: Cannot read .*client-node.*install @kubernetes\/client-node.*without KUBECONFIG\n$/,
    );
  });
});
