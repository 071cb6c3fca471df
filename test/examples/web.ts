import { apply, between, defineKind, Pod, ready, s, type VersionShape } from 'cdk8s-reconcile';

const image = s.string({ maxLength: 200, description: 'The image of the pod.' });
const low = s.int32({ description: 'A number.' });
const status = s.object({ count: s.int32({ description: 'How many pods there are.' }) });

/** The first version, which has no account. */
const webV1alpha1 = {
  version: 'v1alpha1',
  spec: s.object({ image, low }),
  status,
} satisfies VersionShape;

/** Its successor: another name for the image, and more than the first version can express. */
const webV1beta1 = {
  version: 'v1beta1',
  spec: s.object({
    containerImage: image,
    low,
    high: s.optional(s.int32({ description: 'A number that is not smaller than low.' })),
    serviceAccountName: s.optional(s.string({ maxLength: 63, description: 'The account of the pod.' })),
    note: s.optional(s.string({ maxLength: 400_000, description: 'A text.' })),
  }),
  status,
  validations: [
    // Only the API server can evaluate the first rule.
    { rule: 'self.spec.?high.orValue(1) > 0', message: 'high is positive' },
    { rule: '!has(self.spec.high) || self.spec.low <= self.spec.high', message: 'low is at most high' },
  ],
} satisfies VersionShape;

/** Runs one pod, and has two versions. */
export const web = defineKind({
  group: 'demo.example.com',
  kind: 'Web',
  description: 'One pod.',
  ...webV1beta1,
  versions: [
    between(webV1alpha1, webV1beta1, {
      up: ({ spec, status: reported }) => ({ spec: { containerImage: spec.image, low: spec.low }, status: reported }),
      down: ({ spec, status: reported }) => ({ spec: { image: spec.containerImage, low: spec.low }, status: reported }),
    }),
  ],
  owns: [Pod],
  desired: ({ resource: { metadata, spec } }) => ({
    children: [
      apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: metadata.name },
        spec: {
          ...(spec.serviceAccountName !== undefined && { serviceAccountName: spec.serviceAccountName }),
          containers: [{ name: 'web', image: spec.containerImage }],
        },
      }),
    ],
    status: { count: 1 },
    state: ready('Made', 'the pod exists'),
  }),
});
