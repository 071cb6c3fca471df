import { describe, expect, expectTypeOf, it } from 'vitest';
import { appServiceWith } from '#constructs/app-service/kind.ts';
import { canaryRolloutWith } from '#constructs/canary-rollout/kind.ts';
import { deployerWith } from '#constructs/deployer/kind.ts';
import { immortalContainerWith } from '#constructs/immortal-container/kind.ts';
import { podSet, podSetWith } from '#constructs/pod-set/kind.ts';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { type Props, s } from '#lib/kind/schema/schema.ts';
import { render } from '#lib/render/render.ts';

const group = 'apps.acme.io';
const template = { spec: { containers: [{ name: 'web', image: 'web:1' }] } };

const namesOf = (kind: AnyKindDefinition): readonly unknown[] => {
  const { metadata, spec } = compileCrd(kind);
  return [metadata.name, spec.names.shortNames, spec.versions.map(({ name }) => name).join()];
};

const schemaIn = (kind: AnyKindDefinition) =>
  compileCrd(kind).spec.versions[0]?.schema.openAPIV3Schema['properties'] as { spec: Record<string, unknown> };

describe('a ready-made kind in a group of its own', () => {
  it('is an API that is called as it was asked for, and otherwise as it was', () => {
    expect(namesOf(podSetWith({ group, kind: 'WorkerSet', shortNames: ['wset'] }))).toEqual([
      'workersets.apps.acme.io',
      ['wset'],
      'v1alpha1',
    ]);
    expect(namesOf(immortalContainerWith({ group, version: 'v1' }))).toEqual([
      'immortalcontainers.apps.acme.io',
      ['imc'],
      'v1',
    ]);
    expect(namesOf(appServiceWith({ group, plural: 'services' }))).toEqual([
      'services.apps.acme.io',
      undefined,
      'v1alpha1',
    ]);
    expect(namesOf(canaryRolloutWith({ group }))).toEqual(['canaryrollouts.apps.acme.io', ['crollout'], 'v1alpha1']);
    expect(namesOf(deployerWith({ group }))).toEqual(['deployers.apps.acme.io', ['dpl'], 'v1alpha1']);
  });

  it('distinguishes its pods from those of a resource of the same name in the group that it comes from', () => {
    const metadata = { name: 'web' };
    const workers = render(podSetWith({ group, kind: 'WorkerSet' }), { metadata, spec: { replicas: 1 } });
    expect(workers.status.selector).toBe('apps.acme.io/workerset=web');
    expect(render(podSet, { metadata, spec: { replicas: 1 } }).status.selector).toBe('app.example.com/podset=web');
    const services = render(appServiceWith({ group }), { metadata, spec: { replicas: 1 } });
    expect(services.status.selector).toBe('apps.acme.io/appservice=web');
  });

  it('distinguishes the pods of its rollouts from those of another', () => {
    const spec = { template, replicas: 1, steps: [{ percent: 100 }] };
    const rollout = render(canaryRolloutWith({ group, kind: 'Release' }), { metadata: { name: 'web' }, spec });
    expect(rollout.status.selector).toBe('apps.acme.io/release=web');
    const deployment = { name: 'web', image: 'web', version: '1', replicas: 1 };
    const classic = render(deployerWith({ group }), { metadata: { name: 'web' }, spec: { deployment, steps: [] } });
    expect(classic.status.selector).toBe('apps.acme.io/deployer=web');
  });

  it('waits for the pod of a deleted resource of its own group, and is blocked by one of another', () => {
    const daemon = immortalContainerWith({ group, kind: 'Daemon' });
    const reasonWith = (apiVersion: string, kind: string): string => {
      const owner = { apiVersion, kind, name: 'web', uid: 'of before', controller: true };
      const metadata = { name: 'web-immortalpod', uid: 'p', namespace: 'default', ownerReferences: [owner] };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata };
      return render(daemon, { metadata: { name: 'web' }, spec: { image: 'web:1' }, related: [pod] }).state.reason;
    };
    expect(reasonWith('apps.acme.io/v1alpha1', 'Daemon')).toBe('Replacing');
    expect(reasonWith('immortalcontainer.flugel.it/v1alpha1', 'ImmortalContainer')).toBe('NameConflict');
  });
});

describe('a kind that extends another', () => {
  const base = podSetWith({ group, kind: 'TierSet', shortNames: ['tset'] });
  const tierSet = defineKind({
    ...base,
    description: 'TierSet is a PodSet of a tier, which may be closed.',
    spec: s.extend(base.spec, {
      tier: s.enum(['Web', 'Batch'], { default: 'Web', description: 'What the pods are for.' }),
      closed: s.boolean({ default: false, description: 'Whether no pods run.' }),
    }),
    desired: (seen) => {
      const { spec } = seen.resource;
      const resource = { ...seen.resource, spec: { ...spec, replicas: spec.closed ? 0 : spec.replicas } };
      const result = base.desired({ ...seen, resource });
      const tierCondition = {
        type: 'Tier',
        status: 'True',
        reason: spec.tier,
        message: `the pods are for ${spec.tier}`,
      } as const;
      return { ...result, conditions: [...(result.conditions ?? []), tierCondition] };
    },
  });

  it('has the fields and the rules of the other, and its own', () => {
    const { properties, ...rest } = schemaIn(tierSet).spec;
    const { properties: before, ...restBefore } = schemaIn(podSet).spec;
    expect(rest).toEqual(restBefore);
    expect(properties).toMatchObject(before as object);
    expect(Object.keys(properties as object)).toEqual([...Object.keys(before as object), 'tier', 'closed']);
    expectTypeOf<Props<typeof tierSet.spec>>().toExtend<{
      readonly tier?: 'Web' | 'Batch';
      readonly replicas?: number;
    }>();
  });

  it('does what the other does, and what it adds', () => {
    const open = render(tierSet, { spec: { replicas: 2, tier: 'Batch' } });
    expect(open.children.map(({ step, kind }) => `${step} ${kind}`)).toEqual(['create Pod', 'create Pod']);
    expect(open.status.conditions).toContainEqual(expect.objectContaining({ type: 'Tier', reason: 'Batch' }));
    expect(render(tierSet, { spec: { replicas: 2, closed: true } }).children).toEqual([]);
  });

  it('keeps its pods when it has another name than what it was spread from', () => {
    const other = defineKind({ ...base, kind: 'OtherSet', shortNames: [] });
    const first = render(other, { metadata: { name: 'web' }, spec: { replicas: 2 } });
    // The loop adds the label of the definition that it runs.
    const children = first.children.flatMap(({ object }) => {
      if (object === undefined) return [];
      const labels = { ...object.metadata?.labels, 'apps.acme.io/otherset': 'web' };
      return [{ ...object, metadata: { ...object.metadata, labels } }];
    });
    expect(children).toHaveLength(2);
    const second = render(other, { metadata: { name: 'web' }, spec: { replicas: 2 }, children });
    expect(second.children.map(({ step }) => step)).toEqual(['skip', 'skip']);
  });

  it('may not give a field another meaning', () => {
    expect(() => s.extend(base.spec, { replicas: s.string({ maxLength: 1 }) })).toThrow(
      /^Cannot extend the schema: it has replicas already \(its fields: failedPods, .*\); choose another name$/,
    );
  });
});
