import { defineKind } from '#lib/desired/definition.ts';
import { ownerLabels } from '#lib/desired/marks/names.ts';
import { ControllerRevision, Pod } from '#lib/kind/handles/reference.ts';
import type { KindHome } from '#lib/kind/shape.ts';
import { desiredPodSet } from './desired.ts';
import { OwnedPod } from './pods.ts';
import { POD_SET_NAME_LENGTH, podSetSpec, podSetStatus } from './schema.ts';
import { selectorLabels } from './selector.ts';

/**
 * Defines PodSet with another group, version, kind or names.
 *
 * Caveats: the owner label of pods and the annotation `<group>/adopt` have the other group. The annotation
 * `app.example.com/failures` keeps its name.
 *
 * @param home - group, version, kind and names, in place of `app.example.com/v1alpha1` PodSet; absent members keep their defaults
 * @example
 * export const workerSet = podSetWith({ group: 'apps.acme.io', kind: 'WorkerSet' });
 */
export const podSetWith = (home: KindHome) => {
  const identity = { group: 'app.example.com', version: 'v1alpha1', kind: 'PodSet', shortNames: ['pset'], ...home };
  return defineKind({
    ...identity,
    description: 'PodSet keeps a number of identical pods running.',
    name: { maxLength: POD_SET_NAME_LENGTH },
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
    selector: (resource) => selectorLabels(resource, ownerLabels(identity, resource.metadata.name)),
    desired: (seen) => desiredPodSet(identity, seen),
  });
};

/**
 * PodSet: a number of identical pods with predictable names. By default, pods of an older template are replaced step by step.
 *
 * @example
 * await run({ kinds: [podSet] });
 */
export const podSet = podSetWith({});
