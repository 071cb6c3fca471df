import { podSetStatus } from '#constructs/pod-set/schema.ts';
import { s } from '#lib/kind/schema.ts';

/** What users write. Without a default, so that a manifest which spells the field otherwise is refused instead of running one pod. */
export const appServiceSpec = s.object(
  {
    replicas: s.int32({
      minimum: 0,
      maximum: 10_000,
      description: 'How many pods should run; required. kubectl scale and the HorizontalPodAutoscaler change it.',
    }),
  },
  { description: 'What the AppService should look like.' },
);

const { replicas, readyReplicas, podNames, podNamesTruncated, selector } = podSetStatus.properties;

/** What the operator reports: that part of the status of a PodSet that is about pods and their names. */
export const appServiceStatus = s.object(
  { replicas, readyReplicas, podNames, podNamesTruncated, selector },
  { description: 'What the operator observed. Written by the operator alone.' },
);
