import { s } from '#lib/kind/schema/schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';

/** A kind with every part of a definition. */
export const podSet = {
  group: 'app.example.com',
  version: 'v1alpha1',
  kind: 'PodSet',
  shortNames: ['pset'],
  description: 'A set of equal pods',
  name: { maxLength: 57 },
  spec: s.object(
    {
      replicas: s.int32({ description: 'How many pods to run', minimum: 0, maximum: 10_000, default: 1 }),
      minReadySeconds: s.int32({ minimum: 0, default: 0 }),
      progressDeadlineSeconds: s.int32({ minimum: 1, default: 600 }),
      paused: s.boolean({ default: false }),
      podReplacementPolicy: s.enum(['TerminationStarted', 'TerminationComplete'], { default: 'TerminationStarted' }),
      selector: s.optional(
        s.object({ matchLabels: s.optional(s.stringMap({ maxProperties: 16, values: { maxLength: 63 } })) }),
      ),
      updateStrategy: s.object(
        {
          type: s.enum(['RollingUpdate', 'OnDelete'], { default: 'RollingUpdate' }),
          maxSurge: s.unsafe<number | string>({
            'x-kubernetes-int-or-string': true,
            anyOf: [{ type: 'integer' }, { type: 'string' }],
            maxLength: 6,
            pattern: '^(100|[0-9]{1,2})%$',
            default: '25%',
          }),
        },
        { default: {} },
      ),
      ports: s.optional(
        s.mapList(
          s.object({
            port: s.int32({ minimum: 1, maximum: 65_535 }),
            protocol: s.enum(['TCP', 'UDP'], { default: 'TCP' }),
          }),
          { keys: ['port', 'protocol'], maxItems: 16 },
        ),
      ),
      template: s.optional(s.unsafe<object>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true })),
    },
    {
      validations: [
        {
          rule: 'self.progressDeadlineSeconds > self.minReadySeconds',
          message: 'progressDeadlineSeconds must be greater than minReadySeconds',
          fieldPath: '.progressDeadlineSeconds',
        },
      ],
    },
  ),
  status: s.object({
    replicas: s.int32({ minimum: 0 }),
    readyReplicas: s.int32({ minimum: 0 }),
    podNames: s.set(s.string({ maxLength: 253 }), { maxItems: 1000 }),
    selector: s.string({ maxLength: 1024 }),
  }),
  validations: [{ rule: "self.metadata.name != 'all'", message: 'the name all is reserved' }],
  scale: { spec: '.spec.replicas', status: '.status.replicas', selector: '.status.selector' },
  columns: [
    { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Images', type: 'string', jsonPath: '.spec.template.spec.containers[*].image', priority: 1 },
  ],
} as const satisfies KindShape;
