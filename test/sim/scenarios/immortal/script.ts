import { ADOPT, podNameOf } from '#constructs/immortal-container/identity.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { JsonObject } from '#lib/json.ts';
import { Node, Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import type { User } from '#lib/sim/world/scenario/user.ts';

const immortals = refOf(immortalContainer);

const NAMESPACE = 'default';
const NAME = 'web';

const target = { resource: immortals, namespace: NAMESPACE, name: NAME };
const pod = { resource: Pod, namespace: NAMESPACE, name: podNameOf(NAME) };

/** A user creates an immortal container. */
export const createImmortal = (spec: JsonObject = {}): ScriptStep => ({
  label: 'user creates immortal web',
  run: (user) => {
    const { apiVersion, kind } = immortals;
    const metadata = { name: NAME, namespace: NAMESPACE };
    user.create(immortals, { apiVersion, kind, metadata, spec: { image: 'nginx:1', ...spec } });
  },
});

/** A user edits the spec. */
export const editImmortal = (spec: JsonObject): ScriptStep => ({
  label: `user edits immortal web: ${JSON.stringify(spec)}`,
  run: (user) => void user.patch(target, { spec }),
});

/** kubectl delete: the pod is deleted in the background. */
export const deleteImmortal = (): ScriptStep => ({
  label: 'user deletes immortal web',
  run: (user) => void user.delete(target, { propagationPolicy: 'Background' }),
});

const podsOf = (user: User): readonly ServerObject[] => {
  const resource = { group: '', version: 'v1', plural: 'pods' };
  return user.request({ verb: 'list', resource, namespace: NAMESPACE })['items'] as readonly ServerObject[];
};

/** A user runs `kubectl delete pod`, if a pod exists. */
export const killImmortalPod = (nth: string): ScriptStep => ({
  label: `user kills the ${nth} pod`,
  run: (user) => {
    const alive = podsOf(user).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (alive.some(({ metadata }) => metadata.name === pod.name)) user.delete(pod);
  },
});

/** A running pod, if there is one, ends by itself, and its kubelet reports the end. */
export const endPod = (status: JsonObject): ScriptStep => ({
  label: `kubelet: pod ends: ${JSON.stringify(status)}`,
  run: (user) => {
    const there = podsOf(user).find(({ metadata }) => metadata.name === pod.name);
    const phase = (there?.['status'] as JsonObject | undefined)?.['phase'];
    if (there && phase !== 'Failed' && phase !== 'Succeeded')
      user.patch(pod, { status: { ...status, containerStatuses: [] } }, { subresource: 'status' });
  },
});

/** A user creates a pod under the name of the resource's pod. With `isGiven` an annotation offers this pod for adoption. */
export const takePodName = ({ isGiven }: { readonly isGiven: boolean }): ScriptStep => ({
  label: `user runs a pod under the name of that of web${isGiven ? ', and gives it away' : ''}`,
  run: (user) => {
    if (podsOf(user).some(({ metadata }) => metadata.name === pod.name)) return;
    const annotations = isGiven ? { [ADOPT]: 'true' } : {};
    const metadata = { name: pod.name, namespace: NAMESPACE, annotations };
    const spec = { containers: [{ name: 'c', image: 'busybox' }] };
    user.create(Pod, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  },
});

/** Deletes the pod of {@link takePodName}, unless it has been adopted. */
export const givePodNameBack = (): ScriptStep => ({
  label: 'user deletes their own pod',
  run: (user) => {
    const isTheirs = ({ metadata }: ServerObject) =>
      metadata.name === pod.name && metadata.ownerReferences === undefined;
    if (podsOf(user).some(isTheirs)) user.delete(pod);
  },
});

/** The Node object of the machine that runs the pods. */
export const createNode = (): ScriptStep => ({
  label: 'admin creates node-1',
  run: (user) => void user.create(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } }),
});

/** An administrator declares that the machine is off. */
export const taintNode = (): ScriptStep => ({
  label: 'admin taints node-1 out-of-service',
  run: (user) => {
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    user.patch({ resource: Node, name: 'node-1' }, { spec: { taints } });
  },
});

/** An administrator declares that the machine is on again, so that the scheduler can use it. */
export const untaintNode = (): ScriptStep => ({
  label: 'admin removes the taint of node-1',
  run: (user) => {
    user.patch({ resource: Node, name: 'node-1' }, { spec: { taints: null } });
  },
});
