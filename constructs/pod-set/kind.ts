import { defineKind } from '#lib/desired/definition.ts';
import { ownerLabels } from '#lib/desired/names.ts';
import { Pod, reading } from '#lib/kind/reference.ts';
import { podSetStateOf, podSetStatusOf, scalePods } from './desired.ts';
import { NAME_LENGTH, podSetSpec, podSetStatus } from './schema.ts';

/** What the API of PodSet is called. */
const identity = { group: 'app.example.com', version: 'v1alpha1', kind: 'PodSet' } as const;

/**
 * PodSet: a number of identical pods, each under a name that can be foretold.
 *
 * @example
 * await run({ kinds: [podSet] });
 */
export const podSet = defineKind({
  ...identity,
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
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Status', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].message", priority: 1 },
  ],
  owns: [reading(Pod, ['spec.nodeName', 'status.containerStatuses'])],
  desired({ resource, children, clock }) {
    const { name, uid } = resource.metadata;
    const { replicas } = resource.spec;
    const pods = children.of(Pod);
    return {
      children: scalePods({ set: { name, uid }, replicas, pods, clock }),
      status: podSetStatusOf(pods, ownerLabels(identity, name)),
      state: podSetStateOf(replicas, pods),
    };
  },
});
