import { describe, expect, it } from 'vitest';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { check } from '#lib/foresight/check/check.ts';
import { planChange } from '#lib/foresight/plan/plan-change.ts';
import { kindsByService } from '#lib/foresight/served/unserved.ts';
import { UnservedKindError } from '#lib/foresight/served/unserved-kind-error.ts';
import { simulate } from '#lib/foresight/simulate/simulate.ts';
import { previewUpgrade } from '#lib/foresight/upgrade/preview-upgrade.ts';
import { refOf } from '#lib/kind/names.ts';
import { Certificate, certificateDefinition, ownerOf, portal, RuntimeClass, resourceOf, website } from './portal.ts';

const kinds = [website, portal] as unknown as readonly AnyKindDefinition[];
const LEFT_OUT =
  'left out: Portal owns RuntimeClass (node.k8s.io/v1), which the virtual cluster does not serve; try this kind on a cluster that serves it: cdk8s-reconcile dev --cluster current --yes';

const plan = async (kind: string) =>
  planChange({ kinds, live: [], changes: [{ verb: 'apply', object: resourceOf(kind) }], now: 0 });

const thrownBy = async (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('kindsByService()', () => {
  it('kindsByService() names what a kind reads, and a definition that is missing', () => {
    const reader = ownerOf('Reader', [], [RuntimeClass]);
    const issuer = ownerOf('Issuer', [Certificate]);
    const { served, unserved } = kindsByService([reader, issuer], { cluster: 'embedded', objects: [] });
    expect(served).toEqual([]);
    expect(unserved.map(({ error }) => error.message)).toEqual([
      'Reader reads RuntimeClass (node.k8s.io/v1), which the embedded cluster does not serve; develop on a cluster that serves it: --cluster current --yes',
      'Issuer owns Certificate (cert-manager.io/v1), which the embedded cluster does not serve; add its CustomResourceDefinition to the objects of the cluster',
    ]);
  });

  it('kindsByService() takes custom resources as served when a definition is there or may come', () => {
    const issuer = ownerOf('Issuer', [Certificate]);
    const objects = [certificateDefinition];
    expect(kindsByService([issuer], { cluster: 'virtual', objects }).unserved).toEqual([]);
    expect(kindsByService([issuer], { cluster: 'virtual', mayDefine: true }).unserved).toEqual([]);
    expect(kindsByService([portal], { cluster: 'virtual', mayDefine: true }).unserved).toHaveLength(1);
  });

  it('kindsByService() lets a kind run that owns a kind which cannot', () => {
    const owner = ownerOf('Owner', [refOf(portal)]);
    const { served, unserved } = kindsByService([owner, portal], { cluster: 'virtual' });
    expect(served).toEqual([owner]);
    expect(unserved.map(({ definition }) => definition)).toEqual([portal]);
  });
});

describe('a kind that owns what the virtual cluster does not serve', () => {
  it('simulate() runs the other kinds, and notes what it leaves out', async () => {
    const { final, notes } = await simulate({ kinds, manifests: [resourceOf('Website')] });
    expect(final.map(({ kind }) => kind)).toEqual(['Website', 'ConfigMap']);
    expect(notes).toEqual([LEFT_OUT]);
  });

  it('simulate() refuses a resource of that kind, also one that only the script applies', async () => {
    const given = { kinds, manifests: [resourceOf('Website')] };
    const error = await thrownBy(simulate({ ...given, manifests: [resourceOf('Website'), resourceOf('Portal')] }));
    expect(error).toBeInstanceOf(UnservedKindError);
    const script = { changes: [{ at: '1m', apply: 'portal.yaml' }] };
    const files = { 'portal.yaml': [resourceOf('Portal')] };
    await expect(simulate({ ...given, script, files })).rejects.toThrow(/^Portal owns RuntimeClass/);
    await expect(simulate({ kinds: [portal], manifests: [resourceOf('Website')] })).rejects.toThrow(/^Portal owns/);
  });

  it('planChange() runs a kind whose children a definition among the live objects serves', async () => {
    const issuers = [ownerOf('Issuer', [Certificate])];
    const changes = [{ verb: 'apply', object: resourceOf('Issuer') }] as const;
    const { writes } = await planChange({ kinds: issuers, live: [certificateDefinition], changes, now: 0 });
    expect(writes.map(({ action, kind }) => `${action} ${kind}`)).toEqual(['status Issuer']);
    await expect(planChange({ kinds: issuers, live: [], changes, now: 0 })).rejects.toThrow(
      /^Issuer owns Certificate .*; add its CustomResourceDefinition to the objects of the cluster$/,
    );
  });

  it('check() looks at the other kinds, and refuses resources of that kind', async () => {
    const few = { kinds, states: 3, schedules: 1 };
    const report = await check({ ...few, manifests: [resourceOf('Website')] });
    expect(report).toMatchObject({ states: 3, notes: [LEFT_OUT] });
    expect(report.failure).toBeUndefined();
    await expect(check({ ...few, manifests: [resourceOf('Portal')] })).rejects.toBeInstanceOf(UnservedKindError);
  });

  it('planChange() plans the other kinds, and refuses a change of that kind', async () => {
    const { writes, notes } = await plan('Website');
    expect(writes.map(({ action, kind }) => `${action} ${kind}`)).toEqual(['create ConfigMap', 'status Website']);
    expect(notes).toContain(LEFT_OUT);
    await expect(plan('Portal')).rejects.toBeInstanceOf(UnservedKindError);
  });

  it('previewUpgrade() compares the other kinds, and notes what it leaves out of either build', async () => {
    const preview = await previewUpgrade({ from: kinds, to: [website], live: [], now: 0 });
    expect(preview.notes).toEqual([LEFT_OUT]);
  });
});
