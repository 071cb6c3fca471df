import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import type { PodTemplateOptions } from '../json-schema/schema-options.ts';
import type { Schema, WithDefault } from '../json-schema/schema-types.ts';
import { stringMap } from './collection-schemas.ts';
import { string, unsafe } from './scalar-schemas.ts';
import { schemaOf } from './schema-json.ts';

const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'] as const;

const container = {
  ...OPEN,
  required: ['name', 'image'],
  properties: {
    name: string({
      minLength: 1,
      maxLength: 63,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      description: 'Name of the container, a DNS label.',
    }),
    image: string({
      minLength: 1,
      maxLength: 512,
      pattern: '^\\S+$',
      description: 'Image of the container, such as nginx:1.29.',
    }),
  },
} as const;

/**
 * The size limit of all annotations of an object together: k8s.io/apimachinery pkg/api/validation
 * (`TotalAnnotationSizeLimitB`).
 */
const ANNOTATION_LENGTH = 256 * 1024;

const metadata = unsafe({
  ...OPEN,
  description: 'Labels and annotations of the pods.',
  properties: {
    labels: stringMap({ maxProperties: 64, values: { maxLength: 63 }, description: 'Labels of the pods.' }),
    annotations: stringMap({
      maxProperties: 64,
      values: { maxLength: ANNOTATION_LENGTH },
      description: 'Annotations of the pods.',
    }),
  },
});

const podSpec = ({ restartPolicies = RESTART_POLICIES, maxContainers = 32 }: PodTemplateOptions) => ({
  ...OPEN,
  description: 'PodSpec of the pods.',
  required: ['containers'],
  properties: {
    containers: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      minItems: 1,
      maxItems: maxContainers,
      items: container,
      description: 'Containers of the pod, at least one.',
    },
    restartPolicy: {
      type: 'string',
      enum: [...restartPolicies],
      description: 'Restart policy of the containers.',
    },
  },
});

/**
 * A pod template. The schema checks the required fields of every pod: containers, each with a name and an image. The schema keeps
 * undeclared fields of a PodTemplateSpec unchanged, and the API server checks these fields when pods are created. Rules can use
 * only the declared fields: metadata.labels and metadata.annotations, names and images of containers, restartPolicy.
 *
 * @param options - allowed restart policies, number of containers, description, rules, default
 * @example
 * s.podTemplate({ description: 'What every pod looks like', restartPolicies: ['Always'] })
 */
export const podTemplate = <const D extends PodTemplateSpec | undefined = undefined>(
  options: PodTemplateOptions & { readonly default?: D } = {},
): WithDefault<Schema<PodTemplateSpec>, D> => {
  const { restartPolicies: _, maxContainers: __, ...rest } = options;
  return schemaOf({ ...OPEN, required: ['spec'], properties: { metadata, spec: podSpec(options) } }, rest);
};
