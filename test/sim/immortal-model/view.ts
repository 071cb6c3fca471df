import type { Node as KubeNode, Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { identity, MAIN_CONTAINER, OUT_OF_SERVICE } from '#constructs/immortal-container/identity.ts';
import type { Observed, Spec } from '#constructs/immortal-container/types.ts';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { instantOf } from '#lib/desired/clock.ts';
import { GRACE, type ModelState, NODE, type NodeState, OTHER_NODE, type PodObject } from './state.ts';

/** The constant part of the spec. */
export type Settings = Omit<Spec, 'image' | 'suspend'>;

const MICROS = 1_000_000;

/** The run time that a container reports: longer than a short run, in seconds. */
const RUN = 60;

const UID = 'owner';

const at = (seconds: number): string => instantOf(seconds * MICROS);

const statusOf = ({ phase, readySince, exit }: PodObject): NonNullable<KubePod['status']> => ({
  phase,
  ...(readySince !== undefined && {
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(readySince) }],
  }),
  ...(exit !== undefined && {
    containerStatuses: [
      {
        name: MAIN_CONTAINER,
        image: '',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: {
          terminated: {
            exitCode: exit.code,
            reason: exit.code === 0 ? 'Completed' : 'Error',
            startedAt: at(exit.at - RUN),
            finishedAt: at(exit.at),
          },
        },
      },
    ],
  }),
});

const metadataOf = ({ name, uid, version, annotations, createdAt, deletion }: PodObject): KubePod['metadata'] => ({
  name,
  namespace: 'default',
  uid,
  resourceVersion: String(version),
  creationTimestamp: at(createdAt),
  annotations: { ...annotations },
  ownerReferences: [
    {
      apiVersion: `${identity.group}/${identity.version}`,
      kind: identity.kind,
      name: 'web',
      uid: UID,
      controller: true,
    },
  ],
  ...(deletion !== undefined && { deletionTimestamp: at(deletion), deletionGracePeriodSeconds: GRACE }),
});

const views = new WeakMap<PodObject, KubePod>();

/** A pod as in the operator's cache. */
export const podView = (pod: PodObject): KubePod => {
  const known = views.get(pod);
  if (known) return known;
  const spec = { containers: [], ...(pod.node !== undefined && { nodeName: pod.node }) };
  const view: KubePod = { apiVersion: 'v1', kind: 'Pod', metadata: metadataOf(pod) ?? {}, spec, status: statusOf(pod) };
  views.set(pod, deepFreeze(view));
  return view;
};

const nodeView = (name: string, taints: readonly string[] = []): KubeNode => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { taints: taints.map((key) => ({ key, effect: 'NoExecute' })) },
});

/** The nodes as in the operator's cache. */
export const nodeViews = (node: NodeState): readonly KubeNode[] => [
  ...(node === 'removed' ? [] : [nodeView(NODE, node === 'vouched' ? [OUT_OF_SERVICE] : [])]),
  nodeView(OTHER_NODE),
];

/** The resource as in the operator's cache. */
export const resourceView = ({ seen, status }: ModelState, settings: Settings): Observed => ({
  metadata: {
    name: 'web',
    namespace: 'default',
    uid: UID,
    generation: seen.asked.generation,
    creationTimestamp: at(0),
    labels: {},
    annotations: {},
    annotationManagers: {},
  },
  spec: { ...settings, image: seen.asked.image, suspend: seen.asked.suspend },
  ...(status !== undefined && { status }),
});
