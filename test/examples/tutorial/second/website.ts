import { apply, ConfigMap, Deployment, defineKind, progressing, ready, Service, shortHash } from 'cdk8s-reconcile';
import { v1beta1, versions } from './versions.ts';

const PORT = 8080;

export const website = defineKind({
  group: 'web.example.com',
  kind: 'Website',
  description: 'Website serves some pages from some pods.',
  // Its name becomes the name of a Service, which is a DNS label.
  name: { maxLength: 63, isLabel: true },
  ...v1beta1,
  versions,
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
