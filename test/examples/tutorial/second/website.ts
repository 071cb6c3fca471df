import {
  apply,
  between,
  ConfigMap,
  Deployment,
  defineKind,
  progressing,
  ready,
  Service,
  s,
  shortHash,
  type VersionShape,
} from 'cdk8s-reconcile';

const PORT = 8080;

const html = s.string({ maxLength: 65_536, description: 'The page.' });
const replicas = s.int32({ minimum: 0, maximum: 20, default: 2, description: 'How many pods serve it.' });
const status = s.object({
  url: s.string({ maxLength: 300, description: 'Where the pages are found inside the cluster.' }),
  readyReplicas: s.int32({ minimum: 0, description: 'How many pods serve them now.' }),
});
const columns = [
  { name: 'Ready pods', type: 'integer', jsonPath: '.status.readyReplicas' },
  { name: 'URL', type: 'string', jsonPath: '.status.url' },
] as const;

/** As it was at first: one page. */
const v1alpha1 = {
  version: 'v1alpha1',
  deprecated: 'web.example.com/v1alpha1 Website is deprecated; use v1beta1',
  spec: s.object({ html, replicas }),
  status,
  columns,
} satisfies VersionShape;

const v1beta1 = {
  version: 'v1beta1',
  spec: s.object({
    index: s.string({ maxLength: 65_536, description: 'The page index.html.' }),
    pages: s.mapList(
      s.object({
        file: s.string({
          maxLength: 63,
          pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
          description: 'Its name, such as about.html.',
        }),
        html,
      }),
      { keys: ['file'], maxItems: 10, default: [], description: 'What is served besides.' },
    ),
    replicas,
  }),
  status,
  columns,
} satisfies VersionShape;

export const website = defineKind({
  group: 'web.example.com',
  kind: 'Website',
  description: 'Website serves some pages from some pods.',
  // Its name becomes the name of a Service, which is a DNS label.
  name: { maxLength: 63, isLabel: true },
  ...v1beta1,
  versions: [
    between(v1alpha1, v1beta1, {
      up: ({ spec, status }) => ({
        spec: { index: spec.html, pages: [], replicas: spec.replicas },
        status,
      }),
      down: ({ spec, status }) => ({
        spec: { html: spec.index, replicas: spec.replicas },
        status,
      }),
    }),
  ],
  owns: [ConfigMap, Deployment, Service],
  desired({ resource, children }) {
    const { name, namespace } = resource.metadata;
    const { index, pages, replicas } = resource.spec;
    const labels = { 'web.example.com/website': name };
    const data = { ...Object.fromEntries(pages.map(({ file, html }) => [file, html])), 'index.html': index };

    const files = apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
    const pods = apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          // Other pages, another template: the pods are replaced, a few at a time.
          metadata: { labels, annotations: { 'web.example.com/page': shortHash(data, 10) } },
          spec: {
            containers: [
              {
                name: 'nginx',
                image: 'nginxinc/nginx-unprivileged:1.29',
                ports: [{ containerPort: PORT }],
                readinessProbe: { httpGet: { path: '/', port: PORT } },
                volumeMounts: [{ name: 'page', mountPath: '/usr/share/nginx/html' }],
              },
            ],
            volumes: [{ name: 'page', configMap: { name } }],
          },
        },
      },
    });
    const address = apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: labels, ports: [{ port: 80, targetPort: PORT }] },
    });

    const [deployment] = children.of(Deployment);
    const { readyReplicas = 0, updatedReplicas = 0, observedGeneration } = deployment?.status ?? {};
    const isSeen = deployment !== undefined && observedGeneration === deployment.metadata?.generation;
    const isServed = isSeen && updatedReplicas === replicas && readyReplicas === replicas;
    const message = `${readyReplicas} of ${replicas} pods are ready`;
    return {
      children: [files, pods, address],
      status: { url: `http://${name}.${namespace}.svc`, readyReplicas },
      state: isServed ? ready('Served', message) : progressing('RollingOut', message),
      conditions: [
        {
          type: 'Reachable',
          status: readyReplicas > 0 ? 'True' : 'False',
          reason: readyReplicas > 0 ? 'PodsReady' : 'NoPodReady',
          message: '',
        },
      ],
    };
  },
});
