import { beforeAll, describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { compiled } from '#lib/cli/project/definitions.ts';
import { differencesOf, verdictOf } from '#lib/cli/project/difference.ts';
import { repository } from '#test/architecture/repository.ts';
import { ran } from './run-cli.ts';
import { type VirtualCluster, virtualCluster } from './virtual-cluster.ts';

let virtual: VirtualCluster;
beforeAll(async () => {
  virtual = await virtualCluster(() => undefined, { kinds: [podSet], isStill: true });
});

type Definition = ReturnType<typeof compiled>;

const edited = (edit: (definition: { spec: { versions: Record<string, never>[] } }) => void): Definition => {
  const copy = structuredClone(compiled(podSet));
  edit(copy as unknown as Parameters<typeof edit>[0]);
  return copy;
};

describe('crd diff', () => {
  it('compares with the cluster, and ends with 2 when something differs', async () => {
    const { code, stdout } = await ran('crd diff', { cluster: virtual.cluster });
    expect(code).toBe(2);
    expect(stdout).toContain('podsets.app.example.com: the same\n');
    expect(stdout).toContain('deployers.deploy.example.com: new\n');
  });

  it('compares with files, and ends with 0 when all are the same', async () => {
    const { code, stdout } = await ran('crd diff --from synth-out -o table', { cwd: repository });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `NAME                                             VERDICT   CHANGES   BREAKS
appservices.app.example.com                      same      0         0
canaryrollouts.deploy.example.com                same      0         0
deployers.deploy.example.com                     same      0         0
immortalcontainers.immortalcontainer.flugel.it   same      0         0
podsets.app.example.com                          same      0         0
`,
    });
  });

  it.each([
    ['versions: [null]', 'spec.versions[0].name: Invalid value: ""'],
    ['versions: {}', 'cannot unmarshal object into Go struct field CustomResourceDefinitionSpec.spec.versions'],
    ['names: { plural: podsets }', 'spec.names.kind: Required value'],
  ])('crd diff names the mistake when a file has a definition with %s', async (spec, mistake) => {
    const input = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: podsets.app.example.com }
spec: { group: app.example.com, ${spec} }
`;
    const { code, stderr } = await ran('crd diff --from -', { cwd: repository, input });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^cdk8s-reconcile: stdin:1: CustomResourceDefinition\b/);
    expect(stderr).toContain(mistake);
  });

  it('crd diff compares no conversion when a file has a definition with a conversion webhook', async () => {
    const { spec, ...rest } = compiled(podSet);
    const service = { name: 'other', namespace: 'other' };
    const conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] },
    };
    const input = JSON.stringify({ ...rest, spec: { ...spec, conversion, preserveUnknownFields: false } });
    const { stdout } = await ran('crd diff --from -', { cwd: repository, input });
    expect(stdout).toContain('podsets.app.example.com: the same\n');
  });
});

describe('verdictOf()', () => {
  it('distinguishes what breaks users from what does not', () => {
    const now = compiled(podSet);
    expect(verdictOf(undefined, now)).toMatchObject({ verdict: 'new' });
    expect(verdictOf(structuredClone(now), now)).toMatchObject({ verdict: 'same', differences: [] });
    const described = edited(({ spec: { versions } }) => {
      Object.assign(versions[0]?.['additionalPrinterColumns']?.[0] ?? {}, { description: 'before' });
    });
    const compatible = verdictOf(described, now);
    expect(compatible).toMatchObject({ verdict: 'compatible', breaks: [] });
    expect(compatible.differences).toMatchObject([{ before: 'before', after: undefined }]);
    expect(compatible.differences[0]?.path).toMatch(
      /^spec\.versions\.v1alpha1\.additionalPrinterColumns\.\w+\.description$/,
    );
    const gone = edited(({ spec: { versions } }) => {
      versions.push({ ...structuredClone(versions[0]), name: 'v0', served: true, storage: false } as never);
    });
    expect(verdictOf(gone, now)).toMatchObject({ verdict: 'breaking', breaks: [{ rule: 'version-removed' }] });
  });
});

describe('differencesOf()', () => {
  it('names the deepest members that differ', () => {
    expect(differencesOf({ a: 1, b: { c: [1, 2] }, d: 1 }, { a: 1, b: { c: [1, 3] }, e: 2 })).toEqual([
      { path: 'b.c', before: [1, 2], after: [1, 3] },
      { path: 'd', before: 1, after: undefined },
      { path: 'e', before: undefined, after: 2 },
    ]);
    const [one, two] = [{ name: 'one' }, { name: 'two', x: 1 }];
    expect(differencesOf([one, two], [{ name: 'zero' }, one, { ...two, x: 2 }])).toEqual([
      { path: 'two.x', before: 1, after: 2 },
      { path: 'zero', before: undefined, after: { name: 'zero' } },
    ]);
    expect(differencesOf([one, two], [two, one])).toEqual([{ path: '', before: [one, two], after: [two, one] }]);
  });
});
