import { apply, between, Deployment, defineKind, ready, s, type VersionShape } from 'cdk8s-reconcile';

const count = s.int32({ minimum: 0, maximum: 20, description: 'How many pods run.' });
const zone = s.optional(s.string({ maxLength: 63, description: 'The zone of the pods.' }));
const status = s.object({});

const v1alpha1 = { version: 'v1alpha1', spec: s.object({ size: count }), status } satisfies VersionShape;
const v1beta1 = { version: 'v1beta1', spec: s.object({ replicas: count, zone }), status } satisfies VersionShape;

export const web = defineKind({
  group: 'app.example.com',
  kind: 'Web',
  ...v1beta1, // what functions see, what constructs write, what objects are stored in
  versions: [
    between(v1alpha1, v1beta1, {
      up: ({ spec, status }) => ({ spec: { replicas: spec.size }, status }),
      down: ({ spec, status }) => ({ spec: { size: spec.replicas }, status }),
    }),
  ],
  owns: [Deployment],
  desired({ resource }) {
    const { name } = resource.metadata;
    const { replicas, zone } = resource.spec; // in whichever version the object was written
    const labels = { 'app.example.com/web': name };
    const containers = [{ name: 'web', image: 'nginxinc/nginx-unprivileged:1.29' }];
    const nodeSelector = zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone };
    const template = { metadata: { labels }, spec: { containers, nodeSelector } };
    const spec = { replicas, selector: { matchLabels: labels }, template };
    return {
      children: [apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec })],
      status: {},
      state: ready('Applied', 'the Deployment is applied'),
    };
  },
});
