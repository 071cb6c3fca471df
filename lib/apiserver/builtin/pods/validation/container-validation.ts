import {
  duplicate,
  forbiddenField,
  invalidValue,
  keyPath,
  memberPath,
  notFoundField,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import { listIn, numberIn, objectIn, optionalIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import { goStruct } from '#lib/apiserver/machinery/text/go-text.ts';
import { isDns1123LabelText } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { checkKnown, checkOneOf, checkRange, idRange, portRange } from '../../validation/field.ts';
import { isPortName } from '../../validation/names.ts';
import { checkResources } from '../../validation/resources-validation.ts';
import { seccompValue, securityContextValue } from '../../validation/shown-values.ts';
import { checkEnv, checkEnvFrom } from './env-validation.ts';
import { checkDescendingPath } from './path-validation.ts';

/** The properties of a pod on which the validation of its containers depends. */
export interface PodFacts {
  /** Names of valid volumes. */
  readonly volumes: ReadonlySet<string>;
  readonly restartPolicy: string;
  readonly gracePeriodSeconds: number | undefined;
}

/** The valid protocols of a port. */
export const protocols: readonly string[] = ['SCTP', 'TCP', 'UDP'];

const checkPortName = (path: string, name: string, seen: Set<string>): FieldErrors => {
  if (name === '') return fine;
  const errors = checkText(path, name, isPortName);
  if (errors.length > 0) return errors;
  if (seen.has(name)) return [duplicate(path, name)];
  seen.add(name);
  return fine;
};

const checkPorts = (path: string, ports: readonly JsonObject[]): FieldErrors => {
  const names = new Set<string>();
  return forItems(path, ports, (port, at) => [
    ...checkPortName(memberPath(at, 'name'), textIn(port, 'name'), names),
    ...(numberIn(port, 'containerPort') === 0
      ? [required(memberPath(at, 'containerPort'))]
      : checkRange(memberPath(at, 'containerPort'), port['containerPort'], portRange)),
    ...checkRange(memberPath(at, 'hostPort'), port['hostPort'], portRange),
    ...checkOneOf(memberPath(at, 'protocol'), textIn(port, 'protocol'), protocols),
  ]);
};

const propagations = ['Bidirectional', 'HostToContainer', 'None'];

const checkPropagation = (path: string, mount: JsonObject, container: JsonObject): FieldErrors => {
  const mode = mount['mountPropagation'];
  if (mode === undefined) return fine;
  const isPrivileged = objectIn(container, 'securityContext')['privileged'] === true;
  const detail = 'Bidirectional mount propagation is available only to privileged containers';
  return [
    ...checkKnown(path, mode, propagations),
    ...(mode === 'Bidirectional' && !isPrivileged ? [forbiddenField(path, detail)] : []),
  ];
};

const readOnlyModes = ['Disabled', 'Enabled', 'IfPossible'];

const checkRecursiveReadOnly = (path: string, mount: JsonObject): FieldErrors => {
  const mode = mount['recursiveReadOnly'];
  if (mode === undefined || mode === 'Disabled') return fine;
  const errors = checkKnown(path, mode, readOnlyModes);
  if (errors.length > 0) return errors;
  const isPropagated = mount['mountPropagation'] !== undefined && mount['mountPropagation'] !== 'None';
  return [
    ...(mount['readOnly'] === true ? [] : [forbiddenField(path, 'may only be specified when readOnly is true')]),
    ...(isPropagated
      ? [forbiddenField(path, 'may only be specified when mountPropagation is None or not specified')]
      : []),
  ];
};

const checkSubPaths = (path: string, at: string, mount: JsonObject): FieldErrors => {
  const [subPath, expression] = [textIn(mount, 'subPath'), textIn(mount, 'subPathExpr')];
  // As on the real server, the paths of these errors have no index.
  return [
    ...(subPath === '' ? [] : checkDescendingPath(memberPath(path, 'subPath'), subPath)),
    ...(expression !== '' && subPath !== ''
      ? [invalidValue(memberPath(at, 'subPathExpr'), expression, 'subPathExpr and subPath are mutually exclusive')]
      : []),
    ...(expression === '' ? [] : checkDescendingPath(memberPath(path, 'subPathExpr'), expression)),
  ];
};

const checkMounts = (path: string, container: JsonObject, volumes: ReadonlySet<string>): FieldErrors => {
  const seen = new Set<string>();
  return forItems(path, listIn(container, 'volumeMounts'), (mount, at) => {
    const [name, mountPath] = [textIn(mount, 'name'), textIn(mount, 'mountPath')];
    const isRepeated = seen.has(mountPath);
    seen.add(mountPath);
    return [
      ...(name === '' ? [required(memberPath(at, 'name'))] : []),
      ...(volumes.has(name) ? [] : [notFoundField(memberPath(at, 'name'), name)]),
      ...(mountPath === '' ? [required(memberPath(at, 'mountPath'))] : []),
      ...(isRepeated ? [invalidValue(memberPath(at, 'mountPath'), mountPath, 'must be unique')] : []),
      ...checkSubPaths(path, at, mount),
      ...checkPropagation(memberPath(path, 'mountPropagation'), mount, container),
      ...checkRecursiveReadOnly(memberPath(path, 'recursiveReadOnly'), mount),
    ];
  });
};

const resizable = ['cpu', 'memory'];
const resizePolicies = ['NotRequired', 'RestartContainer'];

const checkResizePolicy = (path: string, policies: readonly JsonObject[], restartPolicy: string): FieldErrors => {
  const seen = new Set<string>();
  return policies.flatMap((policy, i) => {
    const [name, restart] = [textIn(policy, 'resourceName'), textIn(policy, 'restartPolicy')];
    const isRepeated = seen.has(name);
    seen.add(name);
    const isWrong = restartPolicy === 'Never' && restart !== 'NotRequired';
    return [
      ...(isRepeated ? [duplicate(keyPath(path, i), name)] : []),
      ...checkOneOf(path, name, resizable),
      ...checkOneOf(path, restart, resizePolicies),
      ...(isWrong ? [invalidValue(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")] : []),
    ];
  });
};

const seccompTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

/** Validates the seccomp profile of a pod or a container. */
export const checkSeccompProfile = (path: string, profile: JsonObject | undefined): FieldErrors => {
  if (profile === undefined) return fine;
  const [type, file] = [textIn(profile, 'type'), profile['localhostProfile']];
  const typeErrors =
    type === ''
      ? [required(memberPath(path, 'type'), 'type is required when seccompProfile is set')]
      : checkOneOf(memberPath(path, 'type'), type, seccompTypes);
  const filePath = memberPath(path, 'localhostProfile');
  if (type !== 'Localhost') {
    const detail = 'can only be set when seccomp type is Localhost';
    return file === undefined
      ? typeErrors
      : [...typeErrors, invalidValue(filePath, goStruct(seccompValue(profile)), detail)];
  }
  return typeof file === 'string'
    ? [...typeErrors, ...checkDescendingPath(filePath, file)]
    : [...typeErrors, required(filePath, 'must be set when seccomp type is Localhost')];
};

const checkSecurityContext = (path: string, context: JsonObject | undefined): FieldErrors => {
  if (context === undefined) return fine;
  const isPrivileged = context['privileged'] === true;
  const isEscalationDenied = context['allowPrivilegeEscalation'] === false;
  const shown = securityContextValue(context);
  const added = textsIn(objectIn(context, 'capabilities'), 'add');
  return [
    ...checkRange(memberPath(path, 'runAsUser'), context['runAsUser'], idRange),
    ...checkRange(memberPath(path, 'runAsGroup'), context['runAsGroup'], idRange),
    ...checkSeccompProfile(memberPath(path, 'seccompProfile'), optionalIn(context, 'seccompProfile')),
    ...(isEscalationDenied && isPrivileged
      ? [invalidValue(path, goStruct(shown), 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true')]
      : []),
    ...(isEscalationDenied && added.includes('CAP_SYS_ADMIN')
      ? [
          invalidValue(
            path,
            goStruct(shown),
            'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
          ),
        ]
      : []),
  ];
};

/**
 * Validates the fields that containers and init containers have in common.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`validateContainerCommon`)
 */
export const checkContainer = (path: string, container: JsonObject, facts: PodFacts): FieldErrors => {
  const name = textIn(container, 'name');
  const at = (member: string): string => memberPath(path, member);
  return [
    ...(name === '' ? [required(at('name'))] : checkText(at('name'), name, isDns1123LabelText)),
    ...(textIn(container, 'image') === '' ? [required(at('image'))] : []),
    ...checkOneOf(at('terminationMessagePolicy'), textIn(container, 'terminationMessagePolicy'), [
      'File',
      'FallbackToLogsOnError',
    ]),
    ...checkPorts(at('ports'), listIn(container, 'ports')),
    ...checkEnv(at('env'), listIn(container, 'env')),
    ...checkEnvFrom(at('envFrom'), listIn(container, 'envFrom')),
    ...checkMounts(at('volumeMounts'), container, facts.volumes),
    ...checkOneOf(at('imagePullPolicy'), textIn(container, 'imagePullPolicy'), ['Always', 'IfNotPresent', 'Never']),
    ...checkResources(at('resources'), objectIn(container, 'resources')),
    ...checkResizePolicy(at('resizePolicy'), listIn(container, 'resizePolicy'), facts.restartPolicy),
    ...checkSecurityContext(at('securityContext'), optionalIn(container, 'securityContext')),
  ];
};
