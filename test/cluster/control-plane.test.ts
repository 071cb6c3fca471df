import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { casesNow } from '#test/cases.ts';
import { provideArtifacts } from '#test/control-plane/binaries.ts';
import { attachControlPlane } from '#test/control-plane/client.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { tryProcessStart } from '#test/control-plane/process.ts';

const controlPlaneFolder = join(import.meta.dirname, '../control-plane');

describe('startControlPlane()', () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    plane = await startControlPlane({ users: [{ name: 'counted' }] });
  }, 900_000);
  afterAll(() => plane.stop());

  it('enforces RBAC: refuses a ServiceAccount without a role until it is granted one', async () => {
    const namespace = await plane.createNamespace('rbac');
    const user = `system:serviceaccount:${namespace}:default`;
    const kubeconfig = await plane.serviceAccountKubeconfig(namespace, 'default', { expirationSeconds: 600 });
    const list = (): ReturnType<typeof plane.request> =>
      plane.request('GET', `/api/v1/namespaces/${namespace}/pods`, undefined, { user });

    expect(existsSync(kubeconfig)).toBe(true);
    expect((await list()).status).toBe(403);
    const binding = ['create', 'rolebinding', 'viewer', '--clusterrole=view', `--serviceaccount=${namespace}:default`];
    expect(await plane.kubectl([...binding, `--namespace=${namespace}`])).toMatchObject({ code: 0 });
    await expect.poll(async () => (await list()).status).toBe(200);
  });

  it('makes a Deployment of 3 ready with the real controllers, the real scheduler and kwok', async () => {
    const namespace = await plane.createNamespace('deployment');
    const input = JSON.stringify(toDeployment(3));
    const args = [`--namespace=${namespace}`];
    expect(await plane.kubectl([...args, 'apply', '--filename=-'], { input })).toMatchObject({ code: 0, stderr: '' });
    const rollout = await plane.kubectl([...args, 'rollout', 'status', 'deployment/web', '--timeout=180s']);
    expect(rollout).toMatchObject({ code: 0 });

    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web`;
    const { body } = await plane.request<{ status: { readyReplicas: number } }>('GET', path);
    expect(body.status.readyReplicas).toBe(3);
  });

  it('lets kwok remove only pods that another client has deleted', async () => {
    const namespace = await plane.createNamespace('kwok');
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const remove = (): ReturnType<typeof plane.request> =>
      plane.request('DELETE', `${pods}/web`, { gracePeriodSeconds: 0 }, { user: 'kwok' });
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', finalizers: ['example.com/keep'] },
      spec: podSpec,
    };
    expect((await plane.request('POST', pods, body)).status).toBe(201);

    expect(await remove()).toMatchObject({ status: 422, body: { message: expect.stringContaining('another client') } });
    expect((await plane.request('DELETE', `${pods}/web`)).status).toBe(200);
    expect((await remove()).status).toBe(200);
  });

  it('enforces Pod Security in a namespace that is labelled so', async () => {
    const namespace = await plane.createNamespace('secure', { 'pod-security.kubernetes.io/enforce': 'restricted' });
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'root' }, spec: podSpec };
    expect((await plane.request('POST', `/api/v1/namespaces/${namespace}/pods`, pod)).status).toBe(403);
  });

  it('counts every request of a user exactly once, an open watch included', async () => {
    const namespace = await plane.createNamespace('audit');
    const user = 'counted';
    const grant = ['create', 'rolebinding', user, '--clusterrole=view', `--user=${user}`, `--namespace=${namespace}`];
    expect(await plane.kubectl(grant)).toMatchObject({ code: 0 });
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const get = (url: string): ReturnType<typeof plane.request> => plane.request('GET', url, undefined, { user });
    await expect.poll(async () => (await get(path)).status).toBe(200);
    const since = new Date();

    await Promise.all(Array.from({ length: 50 }, () => get(path)));
    await Promise.all(Array.from({ length: 20 }, (_, index) => get(`${path}/missing-${index}`)));
    await plane.request('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'no' } }, { user });
    await get(`${path}?watch=1&timeoutSeconds=1`);
    const abort = new AbortController();
    const open = plane.request('GET', `${path}?watch=1`, undefined, { user, signal: abort.signal });
    const counts = {
      'counted create configmaps': 1,
      'counted get configmaps': 20,
      'counted list configmaps': 50,
      'counted watch configmaps': 2,
    };
    await expect.poll(() => plane.auditCounts({ user, since })).toEqual(counts);
    abort.abort();
    await expect(open).rejects.toMatchObject({ code: 'REQUEST_FAILED' });

    expect(await plane.auditCounts({ user, since })).toEqual(counts);
    const codes = new Set((await plane.auditEntries({ user, since })).map(({ verb, code }) => `${verb} ${code}`));
    expect([...codes].toSorted()).toEqual(['create 403', 'get 404', 'list 200', 'watch 200']);
  });

  it('hides the requests of the harness itself', async () => {
    const entries = await plane.auditEntries();
    expect(entries.filter(({ user }) => user === 'harness')).toEqual([]);
  });

  it('gives access to another process by plain data', async () => {
    const client = attachControlPlane(JSON.parse(JSON.stringify(plane.access)) as ControlPlane['access']);
    expect(await client.request('GET', '/readyz')).toEqual({ status: 200, body: 'ok' });
    expect(() => client.kubeconfigFor('nobody')).toThrowError(expect.objectContaining({ code: 'UNKNOWN_USER' }));
  });
});

describe('startControlPlane() life-cycle', () => {
  it('removes the processes and the data of a killed run at the next start', async () => {
    const { child, folder, pids } = await startElsewhere();
    const end = once(child, 'exit');
    child.kill('SIGKILL');
    await end;
    expect(pids.filter((pid) => tryProcessStart(pid) !== undefined)).toHaveLength(5);

    await using next = await startControlPlane({ ...justServer, audit: false });
    expect(pids.filter((pid) => tryProcessStart(pid) !== undefined)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
    await expect(next.auditEntries()).rejects.toMatchObject({ code: 'AUDIT_OFF' });
  }, 600_000);

  it('starts each time, and leaves no process and no data', async () => {
    for (let left = casesNow({ usual: 1, soak: 300 }).count; left > 0; left -= 1) {
      const next = await startControlPlane();
      const { pids } = next;
      expect(await next.request('GET', '/readyz')).toMatchObject({ status: 200 });
      await next.stop();
      expect(Object.values(pids).filter((pid) => tryProcessStart(pid) !== undefined)).toEqual([]);
      expect(existsSync(next.access.folder)).toBe(false);
    }
  }, 3_600_000);

  it('stops cleanly with exit code 0 when the script is interrupted', async () => {
    const { child, folder, pids } = await startElsewhere();
    const end = once(child, 'exit');
    child.kill('SIGINT');
    expect(await end).toEqual([0, null]);
    expect(pids.filter((pid) => tryProcessStart(pid) !== undefined)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  }, 600_000);

  it('fails with the end of the log when a component dies', async () => {
    await using assets = await makeFakeEtcd('echo "the disk is on fire" >&2; exit 7');
    const start = withAssets(assets.path, () => startControlPlane(justServer));
    await expect(start).rejects.toMatchObject({
      code: 'COMPONENT_DIED',
      message: expect.stringMatching(/etcd ended with code 7[^]*the disk is on fire/),
    });
  });

  it('tries other ports when another process has taken one', async () => {
    const { etcd } = await provideArtifacts(['etcd']);
    const once = '[ -e "$0.tried" ] || { touch "$0.tried"; echo "bind: address already in use" >&2; exit 1; }';
    await using assets = await makeFakeEtcd(`${once}\nexec "${etcd}" "$@"`);
    await using plane = await withAssets(assets.path, () => startControlPlane(justServer));
    expect(await readdir(assets.path)).toContain('etcd.tried');
    expect(await plane.request('GET', '/readyz')).toMatchObject({ status: 200 });
  }, 600_000);

  it.each([
    { end: 'process.exit(3)', expected: [3, null], reason: 'a script that ends itself' },
    {
      end: 'process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 60_000)',
      expected: [null, 'SIGTERM'],
      reason: 'a signal without a handler',
    },
    { end: '', expected: [0, null], reason: 'a script that forgets to stop the plane must not hang' },
  ])(
    'leaves nothing behind after $reason',
    async ({ end, expected }) => {
      const script = `
      const { startControlPlane } = await import(${JSON.stringify(join(controlPlaneFolder, 'control-plane.ts'))});
      const plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false });
      console.log(JSON.stringify({ folder: plane.access.folder, pids: Object.values(plane.pids) }));
      ${end}`;
      const child = spawnNode(['--input-type=module', '--eval', script]);
      const exit = once(child, 'exit');
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      const { folder, pids } = JSON.parse(line) as { folder: string; pids: number[] };
      expect(await exit).toEqual(expected);
      await expect.poll(() => pids.filter((pid) => tryProcessStart(pid) !== undefined)).toEqual([]);
      expect(existsSync(folder)).toBe(false);
    },
    600_000,
  );
});

const justServer = { controllers: false, scheduler: false, kwok: false } as const;
const podSpec = { containers: [{ name: 'web', image: 'registry.example/web:1' }] };

function toDeployment(replicas: number): object {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: podSpec };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
}

async function makeFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'build-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** Creates a folder for KUBEBUILDER_ASSETS, with a shell script in place of etcd. */
async function makeFakeEtcd(script: string): ReturnType<typeof makeFolder> {
  const folder = await makeFolder();
  await writeFile(join(folder.path, 'etcd'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

async function withAssets<T>(folder: string, work: () => Promise<T>): Promise<T> {
  vi.stubEnv('KUBEBUILDER_ASSETS', folder);
  try {
    return await work();
  } finally {
    vi.unstubAllEnvs();
  }
}

type Child = ChildProcessByStdio<null, Readable, null>;

function spawnNode(args: readonly string[]): Child {
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Starts a plane in another process, and reads its folder and process ids from the output. */
async function startElsewhere(): Promise<{ child: Child; folder: string; pids: readonly number[] }> {
  const child = spawnNode([join(controlPlaneFolder, 'main.ts')]);
  for await (const line of createInterface(child.stdout)) {
    const folder = /^export KUBECONFIG=(.*)\/admin\.kubeconfig$/.exec(line)?.[1];
    if (folder !== undefined) return { child, folder, pids: (await readdir(join(folder, 'pids'))).map(Number) };
  }
  throw new RangeError('Cannot start a plane in another process: it ended without a kubeconfig');
}
