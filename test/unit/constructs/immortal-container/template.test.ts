import { describe, expect, it } from 'vitest';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { validateResource } from '#lib/kind/instance/validate.ts';
import { desiredAt, observed, verbsOf } from './scene.ts';

const sidecar = { name: 'sidecar', image: 'envoy:1' };
const main = { name: 'acontainer', image: 'ignored:1', ports: [{ containerPort: 80 }] };
const template = {
  metadata: { labels: { team: 'a', app: 'other' }, annotations: { note: 'x' } },
  spec: { containers: [sidecar, main], terminationGracePeriodSeconds: 5 },
};

const podFor = (spec: object) => desiredAt({ spec }).children[0]?.object;

const issuesOf = (spec: object): readonly unknown[] =>
  validateResource(immortalContainer, {
    apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
    kind: 'ImmortalContainer',
    metadata: { name: 'web' },
    spec: { image: 'nginx', template: { spec } },
  });

describe('spec.template', () => {
  it('spec.template is the rest of the pod; name, image, restart policy and our marks stay what they are without it', () => {
    expect(podFor({ image: 'nginx:2', template })).toMatchObject({
      metadata: {
        name: 'web-immortalpod',
        labels: { team: 'a', app: 'web' },
        annotations: { note: 'x', 'immortalcontainer.flugel.it/start-ordinal': '1' },
      },
      spec: {
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 5,
        containers: [sidecar, { ...main, image: 'nginx:2' }],
      },
    });
  });

  it('spec.template runs the image in its first container when none is called acontainer', () => {
    const spec = { containers: [{ name: 'web', image: 'ignored:1' }, sidecar] };
    expect(podFor({ image: 'nginx:2', template: { spec } })).toMatchObject({
      spec: { containers: [{ name: 'web', image: 'nginx:2' }, sidecar] },
    });
  });

  it('spec.template recreates the pod when it is edited, also when updatePolicy is InPlace', () => {
    const pod = observed({ madeOf: { template } });
    expect(verbsOf(desiredAt({ spec: { template }, pod }))).toEqual(['keep']);
    const changed = { ...template, spec: { containers: [main] } };
    expect(verbsOf(desiredAt({ spec: { template: changed, updatePolicy: 'InPlace' }, pod }))).toEqual([
      'remove Replaced',
    ]);
  });

  it('spec.template leaves pods alone that were made without one', () => {
    expect(verbsOf(desiredAt({ pod: observed() }))).toEqual(['keep']);
  });

  it('spec.template is refused when it has no container', () => {
    expect(issuesOf({ containers: [main] })).toEqual([]);
    expect(issuesOf({ containers: [] })).toHaveLength(1);
  });
});
