import type { PrinterColumn } from '#lib/kind/shape.ts';

/**
 * The columns of `kubectl get`, the same for all kinds with rollouts.
 *
 * @param desiredPath - the field of the spec with the number of pods, such as `.spec.replicas`
 */
export const rolloutColumns = (desiredPath: string): readonly PrinterColumn[] => [
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  { name: 'Stable', type: 'string', jsonPath: '.status.stableVersion' },
  { name: 'Canary', type: 'string', jsonPath: '.status.canaryVersion' },
  { name: 'Step', type: 'string', jsonPath: '.status.step' },
  { name: 'Percent', type: 'integer', jsonPath: '.status.percent' },
  { name: 'Desired', type: 'integer', jsonPath: desiredPath },
  { name: 'Available', type: 'integer', jsonPath: '.status.availableReplicas' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
];
