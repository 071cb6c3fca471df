import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOperator } from '#apps/bundle.ts';
import { podEnvironment } from '#test/bench/ground/as-in-pod.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle } from '#test/control-plane/install.ts';
import { spawnOperator, startOperator, works } from '#test/control-plane/operator-process.ts';
import { localPod, noPodsBecause } from './local-pod.ts';
import { statusWith } from './own-operator.ts';

const noPods = await noPodsBecause();
if (noPods !== undefined)
  process.stderr.write(`\n!!! SKIPPED: the operator in the namespaces of a pod.\n!!! ${noPods}\n\n`);

let plane: ControlPlane;
let folder: string;

/** Outside of the repository, as in an image: without node_modules and source. */
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

/** Creates a PodSet of two pods, and waits until the operator of the bundle has created them. */
const makesTwoPods = async (namespace: string): Promise<void> => {
  const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;
  const body = {
    apiVersion: 'app.example.com/v1alpha1',
    kind: 'PodSet',
    metadata: { name: 'web' },
    spec: { replicas: 2 },
  };
  expect((await plane.request('POST', path, body)).status).toBe(201);
  await statusWith(plane, `${path}/web`, { replicas: 2 });
};

/** Prints the environment that a process has in the pod. */
const LOOK_AROUND = `
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const status = readFileSync('/proc/self/status', 'utf8');
const has = (name) => new RegExp(name + ':\\\\s+(\\\\S+)').exec(status)[1];
const write = (path) => {
  try { writeFileSync(path, ''); return 'written'; } catch ({ code }) { return code; }
};
const credentials = '/var/run/secrets/kubernetes.io/serviceaccount';
console.log(JSON.stringify({
  user: [process.getuid(), process.getgid()],
  capabilities: has('CapEff'),
  noNewPrivileges: has('NoNewPrivs'),
  writes: ['/file', '/app/operator.mjs', credentials + '/token'].map(write),
  shell: ['/bin/sh', '/bin/busybox', '/usr/bin/env'].some(existsSync),
  kubeconfig: process.env.KUBECONFIG ?? null,
  credentials: readdirSync(credentials).sort(),
}));
`;

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
    await makesTwoPods(namespace);
    expect(await operator.stop()).toBe(0);
    expect(operator.errors()).toBe('');
  });

  it.skipIf(noPods)(
    'reconciles in the namespaces of the pod that is deployed, with no file but those of the image',
    async () => {
      const namespace = await plane.createNamespace('pod');
      const pod = await localPod(plane, { scratch: join(folder, 'pod'), app: bundled('one') });
      await using operator = await works(pod.spawn());
      await makesTwoPods(namespace);
      expect(await operator.stop()).toBe(0);
      expect(operator.errors()).toBe('');
    },
  );

  it.skipIf(noPods)(
    'runs there as the user of the Deployment, with no right and nothing that it could write to',
    async () => {
      const pod = await localPod(plane, { scratch: join(folder, 'inside'), app: bundled('one') });
      await using look = pod.spawn('--eval', LOOK_AROUND);
      expect(await look.exited).toBe(0);
      expect(look.errors()).toBe('');
      expect(look.log).toEqual([
        {
          user: [65_532, 65_532],
          capabilities: '0000000000000000',
          noNewPrivileges: '1',
          writes: ['EROFS', 'EROFS', 'EROFS'],
          shell: false,
          kubeconfig: null,
          credentials: ['ca.crt', 'namespace', 'token'],
        },
      ]);
    },
  );

  it('says what is missing when a kubeconfig asks for a credential plugin', async () => {
    const config = JSON.parse(await readFile(plane.kubeconfig, 'utf8')) as { users: { user: object }[] };
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'a-plugin' };
    const kubeconfig = join(folder, 'plugin-kubeconfig');
    await writeFile(
      kubeconfig,
      JSON.stringify({ ...config, users: config.users.map((user) => ({ ...user, user: { exec } })) }),
    );
    await using operator = spawnOperator({ kubeconfig, entryPoint: entryPoint() });
    expect(await operator.exited).toBe(1);
    const message = /^Cannot use .*exec, which needs @kubernetes\/client-node.*install it.*without KUBECONFIG$/;
    const error = { code: 'Configuration', message: expect.stringMatching(message) as string };
    expect(operator.log).toMatchObject([{ level: 'error', error }]);
    expect(operator.errors()).toBe('');
  });
});
