import { podSet } from '#constructs/pod-set/kind.ts';
import { classicPod } from '#constructs/pod-set/template.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { freeSlots, ownerLabels } from '#lib/desired/marks/names.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import type { User } from '#lib/sim/world/scenario/user.ts';

const sets = refOf(podSet);
const quotas = { apiVersion: 'v1', plural: 'resourcequotas' };
const namespaces = { apiVersion: 'v1', plural: 'namespaces' };

/** The default namespace of a scenario. */
const NAMESPACE = 'default';

const target = (name: string, namespace = NAMESPACE) => ({ resource: sets, namespace, name });

/** A user creates a set. */
export const createSet = (name: string, replicas: number, namespace = NAMESPACE): ScriptStep => ({
  label: `user creates set ${name} of ${replicas}`,
  run: (user) => {
    const { apiVersion, kind } = sets;
    user.create(sets, { apiVersion, kind, metadata: { name, namespace }, spec: { replicas } });
  },
});

/** kubectl scale. */
export const scaleSet = (name: string, replicas: number): ScriptStep => ({
  label: `user scales set ${name} to ${replicas}`,
  run: (user) => void user.patch(target(name), { spec: { replicas } }),
});

/** kubectl delete: the pods are deleted in the background. */
export const deleteSet = (name: string): ScriptStep => ({
  label: `user deletes set ${name}`,
  run: (user) => void user.delete(target(name), { propagationPolicy: 'Background' }),
});

const podsOf = (user: User): readonly ServerObject[] => {
  const resource = { group: '', version: 'v1', plural: 'pods' };
  return user.request({ verb: 'list', resource, namespace: NAMESPACE })['items'] as readonly ServerObject[];
};

/** A user deletes the first pod in the list, if there is one. */
export const killPod = (nth: string): ScriptStep => ({
  label: `user kills the ${nth} pod`,
  run: (user) => {
    const first = podsOf(user).find(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (first) user.delete({ resource: Pod, namespace: NAMESPACE, name: first.metadata.name });
  },
});

const uidIn = ({ metadata }: JsonObject): string => (isPlainObject(metadata) ? String(metadata['uid']) : '');

/** The name that a set without pods chooses first. */
const firstNameOf = (user: User, name: string): string => {
  const resource = { group: 'app.example.com', version: 'v1alpha1', plural: 'podsets' };
  const uid = uidIn(user.request({ verb: 'get', resource, namespace: NAMESPACE, name }));
  return freeSlots(1, { name, uid, taken: new Set() })[0] ?? '';
};

/** A user creates a pod with the name of a set's first pod. */
export const takeName = (name: string): ScriptStep => ({
  label: `user takes a name of set ${name}`,
  run: (user) => {
    const pod = classicPod(firstNameOf(user, name), { of: 'somebody-else' });
    user.create(Pod, { ...pod, metadata: { ...pod.metadata, name: firstNameOf(user, name), namespace: NAMESPACE } });
  },
});

/** A user deletes their own pod under the name of a set's pod, if there is one. */
export const giveNameBack = (name: string): ScriptStep => ({
  label: `user gives the name of set ${name} back`,
  run: (user) => {
    const taken = firstNameOf(user, name);
    const isTheirs = ({ metadata }: ServerObject) => metadata.name === taken && metadata.ownerReferences === undefined;
    if (podsOf(user).some(isTheirs)) user.delete({ resource: Pod, namespace: NAMESPACE, name: taken });
  },
});

/** A user replaces a pod of a set by a foreign one under the same name; without pods the user only creates one. */
export const replacePod = (): ScriptStep => ({
  label: 'user replaces a pod by one of their own',
  run: (user) => {
    const [first] = podsOf(user);
    const name = first?.metadata.name ?? 'web-own';
    if (first) user.delete({ resource: Pod, namespace: NAMESPACE, name }, { gracePeriodSeconds: 0 });
    const pod = classicPod(name, { of: 'somebody-else' });
    user.create(Pod, { ...pod, metadata: { ...pod.metadata, name, namespace: NAMESPACE } });
  },
});

/** A user creates a pod that resembles one of a set, but does not belong to it. */
export const imitatePod = (name: string): ScriptStep => ({
  label: `user runs a pod with the labels of set ${name}`,
  run: (user) => {
    const pod = classicPod(`${name}-like`, { app: name, ...ownerLabels(podSet, name) });
    user.create(Pod, { ...pod, metadata: { ...pod.metadata, name: `${name}-like`, namespace: NAMESPACE } });
  },
});

/** A quota for pods. */
export const limitPods = (pods: number): ScriptStep => ({
  label: `admin limits pods to ${pods}`,
  run: (user) => {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'limit', namespace: NAMESPACE } };
    user.create(quotas, { ...quota, spec: { hard: { pods: String(pods) } } });
  },
});

/** Changes the quota. */
export const changeLimit = (pods: number): ScriptStep => ({
  label: `admin changes the limit to ${pods}`,
  run: (user) => {
    user.patch({ resource: quotas, namespace: NAMESPACE, name: 'limit' }, { spec: { hard: { pods: String(pods) } } });
  },
});

/** A namespace to be deleted later. */
export const createNamespace = (name: string): ScriptStep => ({
  label: `admin creates namespace ${name}`,
  run: (user) => void user.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
});

/** Deletes a namespace with its contents. */
export const deleteNamespace = (name: string): ScriptStep => ({
  label: `admin deletes namespace ${name}`,
  run: (user) => void user.delete({ resource: namespaces, name }),
});
