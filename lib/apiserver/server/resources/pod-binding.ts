import { notSupported, required } from '#lib/apiserver/machinery/field-error.ts';
import { objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { badRequest, conflict, plainFailure, type StatusError } from '#lib/apiserver/machinery/status.ts';
import { aggregateText } from '#lib/apiserver/machinery/text/go-text.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { type Call, withMetadata } from '../target.ts';
import { liveObject } from '../verbs/get.ts';
import { validateWriteOptions } from '../verbs/options.ts';
import { commit } from '../write/commit.ts';
import { failedPrecondition } from '../write/storage-key.ts';

interface Binding {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly annotations: JsonObject;
  readonly labels: JsonObject;
  readonly node: string;
}

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidatePodBinding`) */
const checkTarget = (target: JsonObject): void => {
  const kind = textIn(target, 'kind');
  const errors = [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(textIn(target, 'name') === '' ? [required('target.name')] : []),
  ];
  if (errors.length === 0) return;
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  throw plainFailure(aggregateText(texts));
};

const bindingIn = ({ request, target }: Call): Binding => {
  const body = isPlainObject(request.body) ? request.body : {};
  const metadata = objectIn(body, 'metadata');
  if (textIn(metadata, 'name') !== target.name) throw badRequest('name in URL does not match name in Binding object');
  checkTarget(objectIn(body, 'target'));
  return {
    name: target.name,
    uid: textIn(metadata, 'uid'),
    resourceVersion: textIn(metadata, 'resourceVersion'),
    annotations: objectIn(metadata, 'annotations'),
    labels: objectIn(metadata, 'labels'),
    node: textIn(objectIn(body, 'target'), 'name'),
  };
};

const checkPreconditions = (call: Call, pod: ServerObject, { uid, resourceVersion }: Binding): void => {
  const { metadata } = pod;
  if (uid !== '' && uid !== metadata.uid)
    throw failedPrecondition(call, 'UID', { required: uid, actual: metadata.uid });
  if (resourceVersion === '' || resourceVersion === metadata.resourceVersion) return;
  throw failedPrecondition(call, 'ResourceVersion', { required: resourceVersion, actual: metadata.resourceVersion });
};

const checkUnbound = (pod: ServerObject): void => {
  const { name, deletionTimestamp } = pod.metadata;
  const spec = objectIn(pod, 'spec');
  const refuse = (why: string): StatusError => conflict({ group: '', kind: 'pods/binding', name }, why);
  if (deletionTimestamp !== undefined) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  const node = textIn(spec, 'nodeName');
  if (node !== '') throw refuse(`pod ${name} is already assigned to node "${node}"`);
  const { schedulingGates } = spec;
  if (Array.isArray(schedulingGates) && schedulingGates.length > 0) {
    throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  }
};

/**
 * Sets the condition PodScheduled to True, and removes `nominatedNodeName`.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/api/pod/util.go (`UpdatePodCondition`)
 */
const withScheduled = (status: JsonObject, now: string): JsonObject => {
  const { nominatedNodeName: _, ...rest } = status;
  const conditions: readonly JsonObject[] = Array.isArray(status['conditions']) ? status['conditions'] : [];
  const old = conditions.find(({ type }) => type === 'PodScheduled');
  const lastTransitionTime = old?.['status'] === 'True' ? (old['lastTransitionTime'] ?? now) : now;
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime };
  const all = old ? conditions.map((one) => (one === old ? scheduled : one)) : [...conditions, scheduled];
  return { ...rest, conditions: all };
};

const merged = (own: Readonly<Record<string, string>> | undefined, more: JsonObject): JsonObject | undefined =>
  Object.keys(more).length === 0 ? own : { ...own, ...more };

/**
 * Handles POST of a pod's subresource `binding`: assigns the pod to a node.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/pod/storage/storage.go (`BindingREST`)
 * @throws {StatusError} 400 for another name in the body, 404 when the pod does not exist, 409 when the pod cannot be assigned to
 * a node or a precondition fails, 422 for invalid options, or 500 for an invalid target
 */
export const handleBinding = (call: Call): ServerResponse => {
  validateWriteOptions('CreateOptions', call.options);
  const binding = bindingIn(call);
  const pod = liveObject(call);
  checkPreconditions(call, pod, binding);
  checkUnbound(pod);
  const { labels, annotations } = pod.metadata;
  const bound = withMetadata(pod, {
    labels: merged(labels, binding.labels),
    annotations: merged(annotations, binding.annotations),
  });
  const spec = { ...objectIn(pod, 'spec'), nodeName: binding.node };
  commit(call, { ...bound, spec, status: withScheduled(objectIn(pod, 'status'), timestamp(call.server.now())) });
  return { code: 201, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } };
};
