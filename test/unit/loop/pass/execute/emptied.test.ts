import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { Deployment } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';

const labels = { app: 'web' };

const deploymentWith = (securityContext: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'busybox', securityContext }] } },
  },
});

const site = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Site',
  spec: s.object({
    securityContext: s.unsafe<object>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
  }),
  status: s.object({}),
  owns: [Deployment],
  desired: ({ resource }) => ({
    children: [apply(deploymentWith(resource.spec.securityContext))],
    status: {},
    state: ready('Complete', 'all declared'),
  }),
});

const declared = async (securityContext: object): Promise<LoopBench> => {
  const bench = new LoopBench(site);
  bench.declare('site', { securityContext });
  await bench.converge('site');
  return bench;
};

const appliesOf = (bench: LoopBench): number => bench.api.requests.filter(({ verb }) => verb === 'apply').length;

/** The requests for the Deployment, and its security context, after the security context was changed. */
const changed = async (from: object, to: object) => {
  const bench = await declared(from);
  bench.edit('site', { securityContext: to });
  bench.catchUp();
  bench.api.requests.length = 0;
  await bench.converge('site');
  const verbs = bench.api.requests.filter(({ resource }) => resource === 'deployments.apps').map(({ verb }) => verb);
  const { spec } = bench.api.one(Deployment, 'web') as unknown as ReturnType<typeof deploymentWith>;
  return { verbs, found: spec.template.spec.containers[0]?.securityContext };
};

describe('changeChild() of a map', () => {
  it('changeChild() applies a second time when the API server drops a map that should be empty', async () => {
    const { verbs, found } = await changed({ privileged: false }, {});
    expect(verbs).toEqual(['apply', 'apply']);
    expect(found).toEqual({});
  });

  it('changeChild() does not bring back a child that goes away between the two applies', async () => {
    const bench = await declared({ privileged: false });
    bench.edit('site', { securityContext: {} });
    bench.catchUp();
    bench.api.requests.length = 0;
    bench.api.before = ({ verb }) => {
      if (verb === 'apply' && appliesOf(bench) === 2) bench.api.vanish(Deployment, 'web');
    };
    await bench.pass('site');
    expect(appliesOf(bench)).toBe(2);
    expect(bench.api.all(Deployment)).toEqual([]);
  });

  it('changeChild() applies once when a member of the map is left', async () => {
    const { verbs, found } = await changed({ privileged: false, runAsNonRoot: true }, { runAsNonRoot: true });
    expect(verbs).toEqual(['apply']);
    expect(found).toEqual({ runAsNonRoot: true });
  });
});
