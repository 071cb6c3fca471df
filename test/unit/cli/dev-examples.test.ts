import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import type { Cluster } from '#lib/cli/shell/context.ts';
import { LimitRange, NetworkPolicy, ResourceQuota, RoleBinding } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap, type KindRef, type KubeObject, Service } from '#lib/kind/handles/reference.ts';
import { repository } from '#test/architecture/repository.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import examples from './examples/reconcile.config.ts';

const FOLDER = join(repository, 'test/unit/cli/examples');

const Portal: KindRef = {
  apiVersion: 'demo.example.com/v1alpha1',
  kind: 'Portal',
  plural: 'portals',
  scope: 'Namespaced',
};

let dev: ChildProcess;
let cluster: Cluster;
let output = '';

beforeAll(async () => {
  const words = ['dev', '-f', 'objects.yaml'];
  dev = spawn(process.execPath, [join(repository, 'lib/cli/main.ts'), ...words], { cwd: FOLDER });
  for (const stream of [dev.stdout, dev.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await waitFor('the operator', async () => output.includes(' works after '));
  const [, kubeconfig = ''] = /^export KUBECONFIG=(\S+)$/m.exec(output) ?? [];
  cluster = await connectTo({ kubeconfig }, { env: {}, signal: new AbortController().signal });
});

afterAll(async () => {
  await cluster?.close();
  const ended = once(dev, 'close');
  dev.kill('SIGINT');
  await ended;
});

const find = async (kind: KindRef, namespace: string, name: string): Promise<KubeObject | undefined> => {
  const { items } = await cluster.api.list(kind, { namespace });
  return items.find(({ metadata }) => metadata.name === name);
};

const appears = async (kind: KindRef, namespace: string, name: string): Promise<void> =>
  waitFor(`${kind.kind} ${name} in ${output}`, async () => (await find(kind, namespace, name)) !== undefined);

const readyPortal = async () => {
  const object = (await find(Portal, 'default', 'shop')) as
    | { readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] } }
    | undefined;
  return object?.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
};

describe('dev with the examples for authors', () => {
  it('dev gives a namespace its defaults', async () => {
    const kinds = [ResourceQuota, LimitRange, NetworkPolicy, RoleBinding];
    for (const kind of kinds) await appears(kind, 'team', 'tenant-defaults');
    const policy = await find(NetworkPolicy, 'team', 'tenant-defaults');
    expect(policy).toMatchObject({ spec: { policyTypes: ['Ingress'] } });
  });

  it('dev gives an Ingress a record for each of its hosts', async () => {
    await appears(ConfigMap, 'team', 'dns.shop.apps.acme.io');
    const record = await find(ConfigMap, 'team', 'dns.shop.apps.acme.io');
    expect(record).toMatchObject({ data: { name: 'shop.apps.acme.io', ttl: '300' } });
  });

  it('dev opens a Portal, whose Job and pod run', async () => {
    await appears(Service, 'default', 'shop');
    await waitFor(`the Portal to be ready in ${output}`, async () => (await readyPortal()) !== undefined);
    expect(await readyPortal()).toMatchObject({ reason: 'Open' });
  });

  it('dev runs all of them', () => {
    const parents = examples.kinds.map(({ kind, extension }) => extension?.of.kind ?? kind);
    expect(output).toContain(`The operator of ${parents.join(', ')} works after`);
  });

  it('dev needs no right that the operator does not have', () => {
    expect(output).not.toMatch(/forbidden|cannot /i);
  });
});
