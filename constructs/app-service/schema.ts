import { podSetStatus } from '#constructs/pod-set/schema.ts';
import { s } from '#lib/kind/schema.ts';

/**
 * What users write. Without a default, so that a manifest which spells the field otherwise is refused instead of running one pod.
 *
 * Caveats: `size`, which such a manifest says, is in the schema in order to be refused. A field that the schema does not have is refused
 * by strict decoding, as kubectl asks for it, before anything is said about what is missing: nobody would be told of `replicas`.
 */
export const appServiceSpec = s.object(
  {
    replicas: s.int32({
      minimum: 0,
      maximum: 10_000,
      description: 'How many pods should run; required. kubectl scale and the HorizontalPodAutoscaler change it.',
    }),
    size: s.optional(
      s.int32({
        minimum: 0,
        maximum: 10_000,
        description: 'Not in use and always refused: the number of pods is spec.replicas.',
      }),
    ),
  },
  {
    description: 'What the AppService should look like.',
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

/** What the operator reports: that part of the status of a PodSet that is about pods and their names. */
export const appServiceStatus = s.object(
  { replicas, readyReplicas, podNames, podNamesTruncated, selector, lastFailure },
  { description: 'What the operator observed. Written by the operator alone.' },
);
