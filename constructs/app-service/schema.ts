import { podSetStatus } from '#constructs/pod-set/schema.ts';
import { s } from '#lib/kind/schema/schema.ts';

/**
 * The schema of the spec. `replicas` has no default, so that a manifest with a misspelled `replicas` is refused.
 *
 * Caveats: the schema has `size`, a common wrong name of this field, so that the error can name `replicas`. Otherwise, the error
 * would only report that `replicas` is missing, or that `size` is unknown.
 */
export const appServiceSpec = s.object(
  {
    replicas: s.int32({
      minimum: 0,
      maximum: 10_000,
      description: 'Number of pods to run. Required. kubectl scale and the HorizontalPodAutoscaler change it.',
    }),
    size: s.optional(
      s.int32({
        minimum: 0,
        maximum: 10_000,
        description: 'Not supported; any value is refused. Use spec.replicas.',
      }),
    ),
  },
  {
    description: 'Desired state of the AppService.',
    validations: [
      {
        rule: '!has(self.size)',
        message: 'size is not in use: the number of pods is spec.replicas',
        fieldPath: '.size',
      },
    ],
  },
);

const { replicas, readyReplicas, podNames, podNamesTruncated, selector, lastFailure } = podSetStatus.properties;

/** The schema of the status: some fields of the status of PodSet. */
export const appServiceStatus = s.object(
  { replicas, readyReplicas, podNames, podNamesTruncated, selector, lastFailure },
  { description: 'Observed state. Written by the operator only.' },
);
