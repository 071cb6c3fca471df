import { podSetStateOf, podSetStatusOf, scalePods } from '#constructs/pod-set/desired.ts';
import { NAME_LENGTH } from '#constructs/pod-set/schema.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ownerLabels } from '#lib/desired/names.ts';
import { Pod, reading } from '#lib/kind/reference.ts';
import { appServiceSpec, appServiceStatus } from './schema.ts';

/** What the API of AppService is called. */
const identity = { group: 'app.example.com', version: 'v1alpha1', kind: 'AppService' } as const;

/**
 * AppService: a number of classic pods. Scaling and names are those of a PodSet; there is nothing else to choose.
 *
 * @example
 * await run({ kinds: [appService] });
 */
export const appService = defineKind({
  ...identity,
  description: 'AppService keeps a number of classic pods running.',
  name: { maxLength: NAME_LENGTH },
  spec: appServiceSpec,
  status: appServiceStatus,
  scale: { spec: '.spec.replicas', status: '.status.replicas', selector: '.status.selector' },
  columns: [
    { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Current', type: 'integer', jsonPath: '.status.replicas' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
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
