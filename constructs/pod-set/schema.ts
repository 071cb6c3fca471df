import { s } from '#lib/kind/schema.ts';

/** More names than this are not listed in status, so that a large set does not come near the size limit of an object. */
export const POD_NAMES_LENGTH = 1000;

/** The longest name of a PodSet: a pod's name, `<name>-<5 characters>`, has to stay a DNS label of 63. */
export const NAME_LENGTH = 57;

/** What users write. */
export const podSetSpec = s.object(
  {
    replicas: s.int32({
      minimum: 0,
      maximum: 10_000,
      default: 1,
      description: 'How many pods should run. kubectl scale and the HorizontalPodAutoscaler change it.',
    }),
  },
  { description: 'What the PodSet should look like.' },
);

/** What the operator reports. */
export const podSetStatus = s.object(
  {
    replicas: s.int32({ minimum: 0, description: 'Pods that are pending or running and not being deleted.' }),
    readyReplicas: s.int32({ minimum: 0, description: 'Those of them that are ready.' }),
    podNames: s.set(s.string({ maxLength: 63 }), {
      maxItems: POD_NAMES_LENGTH,
      description: 'Their names, sorted; the first thousand of them.',
    }),
    podNamesTruncated: s.optional(s.boolean({ description: 'True when podNames does not list all pods.' })),
    selector: s.string({
      maxLength: 512,
      description: 'Selects the pods, in the form that the scale subresource needs.',
    }),
  },
  { description: 'What the operator observed. Written by the operator alone.' },
);
