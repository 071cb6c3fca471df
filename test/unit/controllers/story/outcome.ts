import type { ManagedFieldsEntry, ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Find } from './chapters.ts';

/** The resources to compare after each chapter. */
export const comparedPlurals = [
  'deployments',
  'replicasets',
  'daemonsets',
  'statefulsets',
  'controllerrevisions',
  'jobs',
  'persistentvolumeclaims',
  'pods',
  'configmaps',
  'resourcequotas',
];

/** Fields that are not compared: another program writes them (kwok is no kubelet), or they are times. */
const left = new Set([
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'lastTransitionTime',
  'lastUpdateTime',
  'lastProbeTime',
  'startTime',
  'completionTime',
]);

/** Kinds whose objects the same programs write in both clusters. */
const managed = new Set([
  'Deployment',
  'ReplicaSet',
  'DaemonSet',
  'StatefulSet',
  'ControllerRevision',
  'Job',
  'Namespace',
]);

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

const withoutLeft = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutLeft);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !left.has(name));
  return Object.fromEntries(members.toSorted(byName).map(([name, member]) => [name, withoutLeft(member)]));
};

interface WithTemplate {
  readonly replicas?: number;
  readonly template?: { readonly spec?: { readonly containers?: readonly { readonly image: string }[] } };
}

interface Workload extends ServerObject {
  readonly spec?: WithTemplate;
  readonly data?: { readonly spec?: WithTemplate };
  readonly revision?: number;
  readonly status?: JsonObject & { readonly phase?: string };
}

/** Replaces hashes by the image that they stand for, and the random parts of names of pods. */
const named = (objects: readonly ServerObject[]): ((text: string) => string) => {
  const hashes = (objects as readonly Workload[]).flatMap(({ kind, metadata, spec, data }): [string, string][] => {
    const own = kind === 'ControllerRevision' ? 'controller-revision-hash' : 'pod-template-hash';
    const hash = metadata.labels?.[own];
    const { template } = data?.spec ?? spec ?? {};
    const image = template?.spec?.containers?.[0]?.image;
    return hash !== undefined && image !== undefined ? [[hash, `<${image}>`]] : [];
  });
  const uids = objects.map(({ kind, metadata }): [string, string] => [metadata.uid, `<${kind} ${metadata.name}>`]);
  const pods = objects
    .filter(({ metadata: { generateName, name } }) => generateName !== undefined && !/-\d+$/.test(name))
    .map(({ metadata }): [string, string] => [metadata.name, `${metadata.generateName}*`]);
  return (text) => [...uids, ...pods, ...hashes].reduce((all, [from, to]) => all.replaceAll(from, to), text);
};

/** An entry in one line. */
const brief = ({ fieldsV1, ...entry }: ManagedFieldsEntry): string =>
  `${JSON.stringify(withoutLeft({ ...entry, time: undefined }))} ${JSON.stringify(withoutLeft(fieldsV1))}`;

const comparable = (object: ServerObject): unknown => {
  const { kind, metadata, status, spec, revision, data } = object as Workload;
  const { uid: _, managedFields = [], ...meta } = metadata;
  return {
    kind,
    metadata: meta,
    ...(managed.has(kind) && { managedFields: managedFields.map(brief).toSorted() }),
    ...(kind === 'Pod' ? { phase: status?.phase } : status && { status }),
    ...(kind === 'ControllerRevision' && { revision, data }),
    ...(spec?.replicas !== undefined && { replicas: spec.replicas }),
  };
};

/** Random names of pods in messages, whose objects do not exist. */
const refusedPod = /(web-<app:\d>)-[a-z0-9]{5}\b/g;

/** Uids of objects that do not exist any more, in labels of pods. */
const goneUid = /(?!0{8})[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** A namespace in comparable form: objects, their metadata and status. */
export const outcomeOf = (find: Find, namespace: string): JsonObject => {
  const own = find('namespaces').filter(({ metadata }) => metadata.name === namespace);
  const objects = comparedPlurals
    .flatMap((plural) => find(plural, namespace))
    .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
  const text = named(objects)(JSON.stringify([...own, ...objects].map(comparable)))
    .replaceAll(refusedPod, '$1-*')
    .replaceAll(goneUid, '<gone>');
  const all = (JSON.parse(text) as unknown[]).map((object) => JSON.stringify(withoutLeft(object))).toSorted();
  return { [namespace]: all.map((object): unknown => JSON.parse(object)) };
};
