import { shortHash } from '#lib/desired/canonical/canonical.ts';
import { defineKind, type Resource } from '#lib/desired/definition.ts';
import type { Children } from '#lib/desired/observation.ts';
import { apply, type ChildIntent, keep, remove } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { ConfigMap, Deployment, type KubeObject, Service } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';

const spec = s.object({
  text: s.string({ maxLength: 100, description: 'What the site says.' }),
  replicas: s.int32({ minimum: 0, maximum: 10, default: 1, description: 'How many servers say it.' }),
});

const status = s.object({ servers: s.int32({ minimum: 0, description: 'How many servers there should be.' }) });

type Site = Resource<typeof spec, typeof status>;

const configMapOf = ({ metadata: { name }, spec: { text } }: Site) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text },
});

const serviceOf = ({ metadata: { name } }: Site) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { site: name }, ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
});

/** The hash of the text triggers a rollout of the servers when it changes. */
const deploymentOf = ({ metadata: { name }, spec: { replicas, text } }: Site) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { site: name } },
    template: {
      metadata: { labels: { site: name }, annotations: { 'demo.example.com/text': shortHash(text, 10) } },
      spec: { containers: [{ name: 'server', image: 'busybox', resources: { requests: { cpu: '0.5' } } }] },
    },
  },
});

/** Deletes the servers first, then their dependencies. */
const teardown = (children: Children): readonly ChildIntent[] => {
  const servers: readonly KubeObject[] = children.of(Deployment);
  const rest: readonly KubeObject[] = [...children.of(ConfigMap), ...children.of(Service)];
  return servers.length > 0
    ? [...servers.map((server) => remove(server, 'Deleted')), ...rest.map(keep)]
    : rest.map((child) => remove(child, 'Deleted'));
};

/** A kind whose children change, and are deleted in order. */
export const site = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Site',
  spec,
  status,
  // By default the loop would delete the servers last.
  owns: [Deployment, ConfigMap, Service],
  desired: ({ resource }) => ({
    children: [configMapOf(resource), serviceOf(resource), deploymentOf(resource)].map((child) => apply(child)),
    status: { servers: resource.spec.replicas },
    state: ready('Deployed', 'the site is described'),
  }),
  finalize: ({ children }) => ({
    children: teardown(children),
    status: { servers: 0 },
    state: progressing('TearingDown', 'the servers go first'),
  }),
});
