import type { ListSchemaOptions } from '../json-schema/schema-options.ts';
import { mapList, object } from './collection-schemas.ts';
import { oneOf, optional, string, unsafe } from './scalar-schemas.ts';

/**
 * The bounds and patterns of `metav1.Condition`. If a value does not fit, the API server refuses the whole write of the status.
 */
export const conditionBounds = {
  type: {
    maxLength: 316,
    pattern:
      '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
  },
  reason: { maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
  message: { maxLength: 32_768 },
} as const;

/**
 * The schema of `metav1.Condition`, with the bounds and patterns of its Go markers.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/types.go (type Condition)
 */
const condition = object({
  type: string({
    description: 'Type of the condition, in CamelCase or with a domain prefix as in foo.example.com/CamelCase',
    ...conditionBounds.type,
  }),
  status: oneOf(['True', 'False', 'Unknown'], { description: 'Status of the condition' }),
  reason: string({
    description: 'Reason of the last change, as one word in CamelCase',
    minLength: 1,
    ...conditionBounds.reason,
  }),
  message: string({ description: 'Human-readable message; may be empty', ...conditionBounds.message }),
  lastTransitionTime: string({ description: 'When the status of the condition changed last', format: 'date-time' }),
  observedGeneration: optional(
    unsafe<number>({
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'The metadata.generation that the condition was computed from',
    }),
  ),
});

/**
 * The maximum number of conditions. The number is larger than any kind needs, and keeps the estimated cost of validation rules
 * low.
 */
const MAX_CONDITIONS = 32;

/**
 * A list of `metav1.Condition`, keyed by type. The library adds `status.conditions` itself; use this builder for conditions in
 * other fields.
 *
 * @param options - number of items (at most 32 by default), description
 */
export const conditions = (options: ListSchemaOptions = {}) =>
  mapList(condition, { maxItems: MAX_CONDITIONS, ...options, keys: ['type'] });
