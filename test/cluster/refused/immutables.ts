import { Deployment, Pod } from '#lib/kind/handles/reference.ts';
import {
  Claim,
  ConfigMap,
  containers,
  deployment,
  Job,
  objectOf,
  pod,
  Service,
  StatefulSet,
  template,
} from './objects.ts';

/** Changes of immutable fields, and the fields that the API server names. */
export const immutables = [
  {
    what: 'the selector of a Deployment',
    kind: Deployment,
    before: deployment('a', 'one'),
    after: deployment('a', 'two'),
    fields: ['spec.selector'],
  },
  {
    what: 'the image of a Job',
    kind: Job,
    before: objectOf(Job, 'a', { spec: { template: { spec: { containers, restartPolicy: 'Never' } } } }),
    after: objectOf(Job, 'a', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'b' }], restartPolicy: 'Never' } } },
    }),
    fields: ['spec.template'],
  },
  {
    what: 'a service name of a StatefulSet',
    kind: StatefulSet,
    before: objectOf(StatefulSet, 'a', {
      spec: { serviceName: 'a', selector: { matchLabels: { a: 'a' } }, template: template({ a: 'a' }) },
    }),
    after: objectOf(StatefulSet, 'a', {
      spec: { serviceName: 'b', selector: { matchLabels: { a: 'a' } }, template: template({ a: 'a' }) },
    }),
    fields: ['spec'],
  },
  {
    what: 'the access modes of a claim',
    kind: Claim,
    before: objectOf(Claim, 'a', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
    after: objectOf(Claim, 'a', {
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
    }),
    fields: ['spec'],
  },
  {
    what: 'the address of a Service',
    kind: Service,
    before: objectOf(Service, 'a', { spec: { ports: [{ port: 80 }] } }),
    after: objectOf(Service, 'a', { spec: { ports: [{ port: 80 }], clusterIP: 'None', clusterIPs: ['None'] } }),
    fields: ['spec.clusterIPs[0]'],
  },
  {
    what: 'the command of a pod',
    kind: Pod,
    before: pod('a'),
    after: pod('a', { containers: [{ name: 'main', image: 'busybox', command: ['true'] }] }),
    fields: ['spec'],
  },
  {
    what: 'the data of a ConfigMap that says so',
    kind: ConfigMap,
    before: objectOf(ConfigMap, 'a', { immutable: true, data: { key: 'one' } }),
    after: objectOf(ConfigMap, 'a', { immutable: true, data: { key: 'two' } }),
    fields: ['data'],
  },
];
