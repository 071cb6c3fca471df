import { defineKind } from '#lib/desired/definition.ts';
import { ControllerRevision, Pod } from '#lib/kind/reference.ts';
import { desiredPodSet } from './desired.ts';
import { OwnedPod } from './pods.ts';
import { NAME_LENGTH, podSetSpec, podSetStatus } from './schema.ts';
import { podSetIdentity, selectorLabels } from './selector.ts';

/**
 * PodSet: a number of identical pods, each under a name that can be foretold; pods of an older template are replaced step by
 * step.
 *
 * @example
 * await run({ kinds: [podSet] });
 */
export const podSet = defineKind({
  ...podSetIdentity,
  shortNames: ['pset'],
  description: 'PodSet keeps a number of identical pods running.',
  name: { maxLength: NAME_LENGTH },
  spec: podSetSpec,
  status: podSetStatus,
  scale: { spec: '.spec.replicas', status: '.status.replicas', selector: '.status.selector' },
  columns: [
    { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Current', type: 'integer', jsonPath: '.status.replicas' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
    { name: 'Updated', type: 'integer', jsonPath: '.status.updatedReplicas' },
    { name: 'Available', type: 'integer', jsonPath: '.status.availableReplicas' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Revision', type: 'string', jsonPath: '.status.updateRevision', priority: 1 },
    { name: 'Images', type: 'string', jsonPath: '.spec.template.spec.containers[*].image', priority: 1 },
    { name: 'Status', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].message", priority: 1 },
  ],
  owns: [OwnedPod, ControllerRevision],
  reads: [Pod],
  selector: selectorLabels,
  desired: desiredPodSet,
});
