import { beforeAll, describe, expect, it } from 'vitest';
import { crdFindings } from '#lib/cli/verbs/doctor/crds.ts';
import { releaseFindings } from '#lib/cli/verbs/doctor/releases.ts';
import { Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { MARK, TENANT, tenantWith } from '#test/unit/support/tenant-extension.ts';
import extended from './extended/reconcile.config.ts';
import { ran } from './run-cli.ts';
import { type VirtualCluster, virtualCluster } from './virtual-cluster.ts';

const namespaces = { apiVersion: 'v1', plural: 'namespaces' };
const CONFIG = '--config test/unit/cli/extended/reconcile.config.ts';

let virtual: VirtualCluster;
beforeAll(async () => {
  virtual = await virtualCluster(
    (user) => {
      const metadata = { name: 'team', labels: { [TENANT]: '2' } };
      user.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    },
    { kinds: extended.kinds.slice(0, 1) },
  );
});

const outputOf = async (line: string): Promise<string> => {
  const { code, stdout, stderr } = await ran(`${line} ${CONFIG}`, virtual);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

describe('the commands in a project with extensions', () => {
  it('tree shows the children that an extension gives to a parent', async () => {
    expect(`\n${await outputOf('tree namespace/team')}`).toMatchInlineSnapshot(`
      "
      NAME                   READY   REASON   AGE   MESSAGE
      Namespace/team         -                0s
      ├─ConfigMap/tenant-1   -                0s
      └─ConfigMap/tenant-2   -                0s
      "
    `);
  });

  it('explain shows the next pass of each extension of the kind', async () => {
    expect(await outputOf('explain namespace/team')).toContain(
      'The operator would now, for tenant-defaults:\n  nothing: all children are up to date\n',
    );
    await virtual.api.delete(ConfigMap, { namespace: 'team', name: 'tenant-1' }, { uid: await uidOf('tenant-1') });
    expect(await outputOf('explain namespace/team')).toContain(
      'The operator would now, for tenant-defaults:\n  create ConfigMap team/tenant-1 (Missing)\n',
    );
  });

  it('crd diff and doctor look for no definition of an extension', async () => {
    expect(await outputOf('crd diff')).toBe('\n');
    expect(await crdFindings(virtual.cluster, extended.kinds)).toEqual([]);
  });

  it('doctor names the parents that wait for consent to the release of their children', async () => {
    expect(await releaseFindings(virtual.cluster, extended.kinds)).toEqual([]);
    const parents = await Promise.all([1, 2].map(async (at) => addParent(`left-${at}`)));
    const choosy = tenantWith({ where: { names: ['nowhere'] } });
    const [finding] = await releaseFindings(virtual.cluster, [choosy]);
    expect(parents).toHaveLength(2);
    expect(finding).toMatchObject({ state: 'warning', check: 'release' });
    expect(finding?.message).toContain('tenant-defaults no longer matches 3 of 3 namespaces with children');
  });
});

/** Adds a namespace with one child of the extension. */
const addParent = async (name: string): Promise<void> => {
  const manager = { fieldManager: 'test', force: true } as const;
  const parent = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  const { metadata } = await virtual.api.apply(Namespace, { name, namespace: '' }, parent, manager);
  const { uid } = metadata;
  const owner = { apiVersion: 'v1', kind: 'Namespace', name, uid };
  const child = { name: 'c', namespace: name, labels: { [MARK]: uid }, ownerReferences: [owner] };
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: child };
  await virtual.api.apply(ConfigMap, { name: 'c', namespace: name }, body, manager);
};

const uidOf = async (name: string): Promise<string> =>
  (await virtual.api.get(ConfigMap, { namespace: 'team', name })).metadata.uid;
