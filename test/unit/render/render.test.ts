import {
  apply,
  ConfigMap,
  Deployment,
  defineKind,
  keep,
  type Props,
  progressing,
  ready,
  remove,
  Service,
  s,
} from 'cdk8s-reconcile';
import { appliedOf, conditionOf, render } from 'cdk8s-reconcile/testing';
import { describe, expect, it } from 'vitest';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';

const page = defineKind({
  group: 'demo.example.com',
  version: 'v1alpha1',
  kind: 'Page',
  spec: s.object({
    text: s.string({ maxLength: 20 }),
    port: s.int32({ minimum: 1, default: 80 }),
    old: s.optional(s.enum(['Kept', 'Removed', 'Nonsense'])),
  }),
  status: s.object({ url: s.string({ maxLength: 30 }) }),
  owns: [ConfigMap, Deployment, Service],
  desired({ resource, children }) {
    const { name } = resource.metadata;
    const { text, port, old } = resource.spec;
    const config = apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text } });
    const ports = [{ name: 'http', port }];
    const service = apply({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports } });
    const others = children.of(Deployment).map((seen) => (old === 'Kept' ? keep(seen) : remove(seen, 'NotNeeded')));
    const nonsense = apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
    return {
      children: [config, service, ...(old === undefined ? [] : others), ...(old === 'Nonsense' ? [nonsense] : [])],
      status: { url: `http://${name}:${port}` },
      state: children.of(Service).length > 0 ? ready('Served', 'there is a service') : progressing('Starting', ''),
      conditions: [{ type: 'Short', status: 'True', reason: 'FewWords', message: 'nobody reads more' }],
      events: [{ type: 'Normal', reason: 'Written', message: 'the page is written' }],
    };
  },
  finalize: () => ({ children: [], status: { url: 'none' }, state: progressing('Leaving', 'nothing is left') }),
});

const metadata = { name: 'example' };
const service = { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: '10.0.0.1' } };
const port = { name: 'http', port: 80, protocol: 'TCP' };
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'old' } };

/** Steps of a page whose Service has these ports, with a Deployment. */
const steps = (spec: Props<typeof page.spec>, ports: readonly object[]): readonly string[] => {
  const children = [{ ...service, spec: { ...service.spec, ports } }, deployment];
  return render(page, { spec, children }).children.map(({ step, kind, reason }) => `${step} ${kind} ${reason}`);
};

describe('render()', () => {
  it('shows children, status and events of a first pass, defaults filled in', () => {
    const rendered = render(page, { spec: { text: 'hello' } });
    expect(rendered.text).toBe(`Page "example" is progressing, Starting
status:
  url: http://example:80
conditions:
  Short=True FewWords: nobody reads more
children:
  create  ConfigMap example (Missing)
  create  Service example (Missing)
events:
  Normal Written: the page is written
`);
    const [applied] = appliedOf(rendered, Service);
    expect(applied?.spec?.ports).toEqual([{ name: 'http', port: 80 }]);
    expect(conditionOf(rendered, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Starting',
      observedGeneration: 1,
    });
    expect(conditionOf(rendered, 'Unknown')).toBeUndefined();
    expect(rendered.status.url).toBe('http://example:80');
  });

  it('shows what is unchanged, changed, pruned, kept and removed when children are observed', () => {
    const created = 'create ConfigMap Missing';
    const unchanged = 'skip Service Unchanged';
    expect(steps({ text: 'a' }, [port])).toEqual([created, 'prune Deployment Undeclared', unchanged]);
    expect(steps({ text: 'a', port: 81 }, [port])[1]).toBe('apply Service Changed');
    expect(steps({ text: 'a' }, [port, { ...port, port: 81 }])[1]).toBe('apply Service Changed');
    expect(steps({ text: 'a', old: 'Kept' }, [port])).toEqual([created, 'skip Deployment Kept', unchanged]);
    expect(steps({ text: 'a' }, [])[1]).toBe('apply Service Changed');
    expect(steps({ text: 'a', old: 'Removed' }, [port])).toEqual([created, 'remove Deployment NotNeeded', unchanged]);
  });

  it('calls finalize() of a resource that is being deleted', () => {
    const { text } = render(page, { spec: { text: '' }, metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(text).toContain('is progressing, Leaving: nothing is left\nstatus:\n  url: none\n');
  });

  it('refuses a spec, a result and a status that the cluster would refuse', () => {
    expect(() => render(page, { spec: { text: 'far too long for a page' } })).toThrow(
      /Invalid Page "example".*\n.*spec.text/,
    );
    expect(() => render(page, { spec: { text: '', old: 'Nonsense' } })).toThrow(/must be a kind that "Page" owns/);
    const long = { metadata: { name: 'a-name-of-more-than-thirty-letters' }, spec: { text: '' } };
    expect(() => render(page, long)).toThrow(/status.url: must have at most 30 character/);
    expect(() => render(page, { spec: { text: '' }, children: [{ ...service, kind: 'Secret' }] })).toThrow(
      /cannot observe/i,
    );
  });

  it('gives the same text again, and leaves the situation as it was', () => {
    const situation = { spec: { text: 'a' }, children: [structuredClone(deployment)] };
    expect(render(page, situation).text).toBe(render(page, situation).text);
    expect(situation.children).toEqual([deployment]);
  });

  it('says that consent is missing when most of many children would be pruned', () => {
    const children = Array.from({ length: 12 }, (_, i) => ({ ...deployment, metadata: { name: `old-${i}` } }));
    const rendered = render(page, { spec: { text: 'a' }, children });
    expect(rendered.state).toMatchObject({ state: 'stalled', reason: 'PruneNeedsConsent' });
    expect(conditionOf(rendered, 'Stalled')?.status).toBe('True');
  });

  it('renders the kinds that come with the package', () => {
    const pods = render(podSet, { spec: { replicas: 2 } });
    expect(pods.children.map(({ step, kind }) => `${step} ${kind}`)).toEqual(expect.arrayContaining(['create Pod']));
    const template = { spec: { containers: [{ name: 'a', image: 'b' }] } };
    const spec = { replicas: 1, template, steps: [{ percent: 100 }] };
    expect(render(canaryRollout, { spec }).text).toMatch(/^CanaryRollout "example" is progressing.*\n[^]*phase: Init/);
  });
});
