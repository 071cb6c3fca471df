import { forbiddenField, invalidValue, memberPath, required } from '#lib/apiserver/machinery/field-error.ts';
import { entriesIn, listIn, numberIn, objectIn, textIn, withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { checkMetadata, checkMetadataUpdate } from '../../validation/object-meta.ts';
import { checkPodAnnotations } from '../pod-annotations.ts';
import { checkPodSpec } from './pod-spec-validation.ts';
import { checkAddedTolerations } from './scheduling-validation.ts';

const checkTokens = (spec: JsonObject): FieldErrors => {
  if (textIn(spec, 'serviceAccountName') !== '') return fine;
  return forItems('spec.volumes', listIn(spec, 'volumes'), (volume, at) =>
    forItems(`${at}.projected.sources`, listIn(objectIn(volume, 'projected'), 'sources'), (source, sourcePath) =>
      source['serviceAccountToken'] === undefined
        ? fine
        : [
            forbiddenField(
              `${sourcePath}.serviceAccountToken`,
              'must not be specified when serviceAccountName is not set',
            ),
          ],
    ),
  );
};

const checkImageSpaces = (path: string, containers: readonly JsonObject[]): FieldErrors =>
  forItems(path, containers, (container, at) => {
    const image = textIn(container, 'image');
    return image === image.trim()
      ? fine
      : [invalidValue(memberPath(at, 'image'), image, 'must not have leading or trailing whitespace')];
  });

const checkWholePod = (pod: ServerObject): FieldErrors => {
  const spec = objectIn(pod, 'spec');
  return [
    ...checkMetadata(pod, { check: isDns1123Subdomain }),
    ...checkPodAnnotations('metadata.annotations', objectIn(pod, 'metadata')),
    ...checkPodSpec('spec', spec, { isPod: true }),
    ...checkTokens(spec),
    ...checkImageSpaces('spec.containers', listIn(spec, 'containers')),
    ...checkImageSpaces('spec.initContainers', listIn(spec, 'initContainers')),
  ];
};

/**
 * Validates a new pod.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidatePodCreate`)
 */
export const checkPod = (pod: ServerObject): FieldErrors => {
  const spec = objectIn(pod, 'spec');
  const isEarly = textIn(spec, 'nodeName') !== '' && listIn(spec, 'schedulingGates').length > 0;
  return [
    ...checkWholePod(pod),
    ...(isEarly ? [forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')] : []),
  ];
};

const checkImages = (path: string, containers: readonly JsonObject[]): FieldErrors => [
  ...forItems(path, containers, (container, at) =>
    textIn(container, 'image') === '' ? [required(memberPath(at, 'image'))] : fine,
  ),
  ...checkImageSpaces(path, containers),
];

const deadlinePath = 'spec.activeDeadlineSeconds';

/** Validates a changed deadline. If `isEnd` is true, the validation of the spec stops after this check. */
const checkDeadline = (
  spec: JsonObject,
  old: JsonObject,
): { readonly errors: FieldErrors; readonly isEnd: boolean } => {
  const [deadline, before] = [spec['activeDeadlineSeconds'], old['activeDeadlineSeconds']];
  if (typeof deadline !== 'number') {
    const detail = 'must not update from a positive integer to nil value';
    return { errors: before === undefined ? fine : [invalidValue(deadlinePath, null, detail)], isEnd: false };
  }
  if (deadline < 0 || deadline > 2 ** 31 - 1) {
    return {
      errors: [invalidValue(deadlinePath, deadline, 'must be between 0 and 2147483647, inclusive')],
      isEnd: true,
    };
  }
  if (typeof before !== 'number' || before >= deadline) return { errors: fine, isEnd: false };
  return {
    errors: [invalidValue(deadlinePath, deadline, 'must be less than or equal to previous value')],
    isEnd: true,
  };
};

const checkRemovedGates = (gates: readonly JsonObject[], old: readonly JsonObject[]): FieldErrors => {
  const before = new Set(old.map((gate) => textIn(gate, 'name')));
  return forItems('spec.schedulingGates', gates, (gate, at) => {
    const name = textIn(gate, 'name');
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return before.has(name) ? fine : [forbiddenField(memberPath(at, 'name'), detail)];
  });
};

const withOldImages = (containers: readonly JsonObject[], old: readonly JsonObject[]): readonly JsonObject[] =>
  containers.map((container, i) => withMember(container, 'image', old[i]?.['image']));

/** The new spec without the permitted changes. If the result still differs from the old spec, a change is forbidden. */
const withoutAllowedChanges = (spec: JsonObject, old: JsonObject): JsonObject => {
  let result: JsonObject = {
    ...spec,
    containers: withOldImages(listIn(spec, 'containers'), listIn(old, 'containers')),
  };
  if (spec['initContainers'] !== undefined) {
    const initContainers = withOldImages(listIn(spec, 'initContainers'), listIn(old, 'initContainers'));
    result = { ...result, initContainers };
  }
  for (const name of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) {
    result = withMember(result, name, old[name]);
  }
  const isCorrected = numberIn(old, 'terminationGracePeriodSeconds') < 0 && spec['terminationGracePeriodSeconds'] === 1;
  return isCorrected
    ? withMember(result, 'terminationGracePeriodSeconds', old['terminationGracePeriodSeconds'])
    : result;
};

const fixedSpec =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n';

/**
 * Whether a pod has scheduling gates. Node selectors may be added to such a pod. The real server also permits changes of the node
 * affinity; this server does not.
 */
const isGated = (old: JsonObject): boolean => listIn(old, 'schedulingGates').length > 0;

const checkAddedSelectors = (spec: JsonObject, old: JsonObject): FieldErrors => {
  const [selector, before] = [objectIn(spec, 'nodeSelector'), entriesIn(old, 'nodeSelector')];
  if (!isGated(old)) return fine;
  const shown = Object.keys(selector).length === 0 ? null : selector;
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return before.flatMap(([name, value]) =>
    selector[name] === value ? [] : [invalidValue('spec.nodeSelector', shown, detail)],
  );
};

const checkSpecUpdate = (spec: JsonObject, old: JsonObject): FieldErrors => {
  const { errors, isEnd } = checkDeadline(spec, old);
  if (isEnd) return errors;
  const compared = isGated(old) ? withMember(spec, 'nodeSelector', old['nodeSelector']) : spec;
  const isFixed = equalJson(withoutAllowedChanges(compared, old), old);
  return [
    ...errors,
    ...checkAddedTolerations('spec.tolerations', listIn(spec, 'tolerations'), listIn(old, 'tolerations')),
    ...checkRemovedGates(listIn(spec, 'schedulingGates'), listIn(old, 'schedulingGates')),
    ...checkAddedSelectors(spec, old),
    ...(isFixed ? [] : [forbiddenField('spec', fixedSpec)]),
  ];
};

/**
 * Validates a changed pod. The message for a forbidden change has no diff of Go values, unlike the message of the real server.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidatePodUpdate`)
 */
export const checkPodUpdate = (pod: ServerObject, oldPod: ServerObject): FieldErrors => {
  const [spec, old] = [objectIn(pod, 'spec'), objectIn(oldPod, 'spec')];
  const errors = [
    ...checkMetadataUpdate(pod, oldPod),
    ...checkWholePod(pod),
    ...checkPodAnnotations('metadata.annotations', objectIn(pod, 'metadata')),
  ];
  for (const name of ['containers', 'initContainers']) {
    const [containers, before] = [listIn(spec, name), listIn(old, name)];
    if (containers.length !== before.length) {
      return [...errors, forbiddenField(`spec.${name}`, 'pod updates may not add or remove containers')];
    }
    errors.push(...checkImages(`spec.${name}`, containers));
  }
  return [...errors, ...checkSpecUpdate(spec, old)];
};
