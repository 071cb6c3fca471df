import { invalidValue, memberPath, notSupported, required } from '#lib/apiserver/machinery/field-error.ts';
import { optionalIn, textIn } from '#lib/apiserver/machinery/members.ts';
import { asPrefix, isDns1123Subdomain, isQualifiedName } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { isConfigMapKey, isRelaxedEnvVarName } from '../../validation/names.ts';

/** Pod fields that environment variables may refer to, sorted as in messages. */
const envFieldPaths: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

const convertible = new Set([
  ...envFieldPaths,
  'metadata.annotations',
  'metadata.labels',
  'spec.host',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

const subscripted = /^(.+?)\['([^']*)'\]$/;

const checkSubscript = (path: string, base: string, key: string): FieldErrors =>
  checkText(path, base === 'metadata.annotations' ? key.toLowerCase() : key, isQualifiedName);

const convertError = (apiVersion: string, fieldPath: string): string | undefined => {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  const [, base] = subscripted.exec(fieldPath) ?? [];
  if (base !== undefined) {
    const isMap = base === 'metadata.annotations' || base === 'metadata.labels';
    return isMap ? undefined : `field label does not support subscript: ${fieldPath}`;
  }
  return convertible.has(fieldPath) ? undefined : `field label not supported: ${fieldPath}`;
};

/** Checks a reference to a field of the pod. */
export const checkFieldRef = (path: string, fieldRef: JsonObject, paths: readonly string[]): FieldErrors => {
  const [apiVersion, fieldPath] = [textIn(fieldRef, 'apiVersion'), textIn(fieldRef, 'fieldPath')];
  if (apiVersion === '') return [required(memberPath(path, 'apiVersion'))];
  if (fieldPath === '') return [required(memberPath(path, 'fieldPath'))];
  const error = convertError(apiVersion, fieldPath);
  if (error !== undefined) {
    return [invalidValue(memberPath(path, 'fieldPath'), fieldPath, `error converting fieldPath: ${error}`)];
  }
  const [, base = '', key = ''] = subscripted.exec(fieldPath) ?? [];
  if (base !== '') return checkSubscript(path, base, key);
  const internal = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  return paths.includes(internal) ? fine : [notSupported(memberPath(path, 'fieldPath'), internal, paths)];
};

const resourcePaths: readonly string[] = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

const sizes = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';
const divisorNames: Readonly<Record<string, string>> = {
  memory: 'memory',
  'ephemeral-storage': 'local ephemeral storage',
};

const checkDivisor = (path: string, resource: string, divisor: string): FieldErrors => {
  if (divisor === '' || divisor === '0') return fine;
  const kind = resource.replace(/^(?:limits|requests)\./, '');
  if (kind === 'cpu') {
    const detail = "only divisor's values 1m and 1 are supported with the cpu resource";
    return ['1m', '1'].includes(divisor) ? fine : [invalidValue(path, resource, detail)];
  }
  const name = divisorNames[kind] ?? (kind.startsWith('hugepages-') ? 'hugepages' : undefined);
  if (name === undefined || sizes.split(', ').includes(divisor)) return fine;
  return [invalidValue(path, resource, `only divisor's values ${sizes} are supported with the ${name} resource`)];
};

/** Checks a reference to a resource of a container. In a volume, the reference must contain the name of the container. */
export const checkResourceFieldRef = (path: string, ref: JsonObject, isInVolume: boolean): FieldErrors => {
  const resource = textIn(ref, 'resource');
  const isKnown = resourcePaths.includes(resource) || /^(?:limits|requests)\.hugepages-/.test(resource);
  const errors = (): FieldErrors => {
    if (isInVolume && textIn(ref, 'containerName') === '') return [required(memberPath(path, 'containerName'))];
    if (resource === '') return [required(memberPath(path, 'resource'))];
    return isKnown ? fine : [notSupported(memberPath(path, 'resource'), resource, resourcePaths)];
  };
  return [...errors(), ...checkDivisor(memberPath(path, 'divisor'), resource, textIn(ref, 'divisor'))];
};

const checkKeyRef = (path: string, ref: JsonObject): FieldErrors => {
  const key = textIn(ref, 'key');
  return [
    ...checkText(memberPath(path, 'name'), textIn(ref, 'name'), isDns1123Subdomain),
    ...(key === '' ? [required(memberPath(path, 'key'))] : checkText(memberPath(path, 'key'), key, isConfigMapKey)),
  ];
};

const sourceChecks: Readonly<Record<string, (path: string, source: JsonObject) => FieldErrors>> = {
  fieldRef: (path, source) => checkFieldRef(path, source, envFieldPaths),
  resourceFieldRef: (path, source) => checkResourceFieldRef(path, source, false),
  configMapKeyRef: checkKeyRef,
  secretKeyRef: checkKeyRef,
};

const checkValueFrom = (path: string, variable: JsonObject): FieldErrors => {
  const from = optionalIn(variable, 'valueFrom');
  if (from === undefined) return fine;
  const used = Object.keys(sourceChecks).filter((name) => optionalIn(from, name) !== undefined);
  const errors = used.flatMap((name) => {
    const source = optionalIn(from, name);
    return source === undefined ? fine : (sourceChecks[name]?.(memberPath(path, name), source) ?? fine);
  });
  if (used.length === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [...errors, invalidValue(path, '', detail)];
  }
  if (textIn(variable, 'value') !== '') {
    return [...errors, invalidValue(path, '', 'may not be specified when `value` is not empty')];
  }
  return used.length > 1
    ? [...errors, invalidValue(path, '', 'may not have more than one field specified at a time')]
    : errors;
};

/** Checks the environment variables of a container. */
export const checkEnv = (path: string, variables: readonly JsonObject[]): FieldErrors =>
  forItems(path, variables, (variable, at) => {
    const name = textIn(variable, 'name');
    return [
      ...(name === ''
        ? [required(memberPath(at, 'name'))]
        : checkText(memberPath(at, 'name'), name, isRelaxedEnvVarName)),
      ...checkValueFrom(memberPath(at, 'valueFrom'), variable),
    ];
  });

/** Whether a text is a valid prefix of a name. Unlike a name, a prefix may end in a dash. */
const isNamePrefix = asPrefix(isDns1123Subdomain);

const checkNameRef = (path: string, ref: JsonObject): FieldErrors => {
  const name = textIn(ref, 'name');
  if (name === '') return [required(memberPath(path, 'name'))];
  return checkText(memberPath(path, 'name'), name, isNamePrefix);
};

/** Checks the sources of environment variables: ConfigMaps and Secrets, where each key becomes a variable. */
export const checkEnvFrom = (path: string, sources: readonly JsonObject[]): FieldErrors =>
  forItems(path, sources, (source, at) => {
    const prefix = textIn(source, 'prefix');
    const used = ['configMapRef', 'secretRef'].filter((name) => optionalIn(source, name) !== undefined);
    const errors = used.flatMap((name) => checkNameRef(memberPath(at, name), optionalIn(source, name) ?? {}));
    return [
      ...(prefix === '' ? [] : checkText(memberPath(at, 'prefix'), prefix, isRelaxedEnvVarName)),
      ...errors,
      ...(used.length === 0 ? [invalidValue(path, '', 'must specify one of: `configMapRef` or `secretRef`')] : []),
      ...(used.length > 1 ? [invalidValue(path, '', 'may not have more than one field specified at a time')] : []),
    ];
  });
