import { beforeAll, describe, expect, it } from 'vitest';
import { crdFindings } from '#lib/cli/verbs/doctor/crds.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { TENANT } from '#test/unit/support/tenant-extension.ts';
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

  it('explain tells the next pass of each extension of the kind', async () => {
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
});

const uidOf = async (name: string): Promise<string> =>
  (await virtual.api.get(ConfigMap, { namespace: 'team', name })).metadata.uid;
