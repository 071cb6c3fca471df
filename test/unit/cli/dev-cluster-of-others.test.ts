import { describe, expect, it } from 'vitest';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { compiled } from '#lib/cli/project/definitions.ts';
import { applyManifest, discoveryOf } from '#lib/cli/verbs/dev/cluster/apply-manifests.ts';
import { define } from '#lib/cli/verbs/dev/cluster/define.ts';
import { DEV } from '#lib/cli/verbs/dev/cluster/rights.ts';
import { DEFINITIONS } from '#lib/kube/client/definitions.ts';
import { virtualCluster } from './virtual-cluster.ts';

const GITOPS = { fieldManager: 'gitops', force: true };

const definition = compiled(podSet);
const { name } = definition.metadata;

interface Stored {
  readonly metadata: {
    readonly managedFields: readonly {
      readonly manager: string;
      readonly fieldsV1: Readonly<Record<string, unknown>>;
    }[];
  };
  readonly spec: unknown;
}

/** A CRD with a new column, and without conversion. */
const changed = {
  ...definition,
  spec: {
    ...definition.spec,
    conversion: { strategy: 'None' },
    versions: definition.spec.versions.map((version) => ({
      ...version,
      additionalPrinterColumns: [{ name: 'New', type: 'string', jsonPath: '.metadata.name' }],
    })),
  },
} as unknown as typeof definition;

describe('dev on an existing cluster', () => {
  it('define() takes nothing from others', async () => {
    const { cluster } = await virtualCluster(() => undefined, { isStill: true, kinds: [immortalContainer] });
    const dev = { cluster, isOurs: false };
    await cluster.api.apply(DEFINITIONS, { name }, definition, GITOPS);
    await expect(define(dev, [changed])).rejects.toThrow(
      /Cannot change podsets.* other managers own the fields that would change/,
    );
  });

  it('define() changes definitions of dev, and leaves their conversion alone', async () => {
    const { cluster } = await virtualCluster(() => undefined, { isStill: true, kinds: [immortalContainer] });
    const dev = { cluster, isOurs: false };
    expect(await define(dev, [definition])).toMatchObject([{ verdict: 'new' }]);
    expect(await define(dev, [changed])).toMatchObject([{ verdict: 'compatible' }]);
    const { metadata, spec } = (await cluster.api.get(DEFINITIONS, { name })) as unknown as Stored;
    expect(spec).toMatchObject({ versions: [{ additionalPrinterColumns: [{ name: 'New' }] }] });
    const own = metadata.managedFields.find(({ manager }) => manager === DEV)?.fieldsV1['f:spec'];
    expect(own).toHaveProperty('f:versions');
    expect(own).not.toHaveProperty('f:conversion');
  });

  it('applyManifest() takes fields over from others only on a cluster of dev', async () => {
    const { cluster } = await virtualCluster(() => undefined, { isStill: true });
    const resources = [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }];
    const ask = async () => ({ code: 200, body: { resources }, date: undefined });
    const target = { cluster, discovery: discoveryOf({ ask }) };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { k: 'theirs' } };
    const resource = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' } as const;
    await cluster.api.apply(resource, { namespace: 'default', name: 'c' }, object, GITOPS);
    const manifest = { object: { ...object, data: { k: 'ours' } }, where: 'c.yaml' };
    await expect(applyManifest({ ...target, isOurs: false }, manifest)).rejects.toThrow(
      /c\.yaml: ConfigMap\/c stays as it is, as others have written its fields \(.*gitops/,
    );
    expect(await applyManifest({ ...target, isOurs: true }, manifest)).toBe('ConfigMap/c');
  });
});
