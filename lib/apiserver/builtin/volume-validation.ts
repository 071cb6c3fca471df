import type { JsonObject } from '#lib/json.ts';
import {
  childOf,
  duplicate,
  forbiddenField,
  invalidValue,
  keyOf,
  notSupported,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import { listIn, numberIn, optionalIn, textIn } from '#lib/apiserver/machinery/members.ts';
import { isDns1123Label } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import { checkFieldRef, checkResourceFieldRef } from './env-validation.ts';
import { checkFileMode, checkNoBacksteps, checkNonReservedPath } from './path-validation.ts';
import { storedQuantity } from './quantity.ts';

const volumeFieldPaths: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

const checkKeyToPath = (path: string, item: JsonObject): FieldErrors => {
  const [key, file] = [textIn(item, 'key'), textIn(item, 'path')];
  return [
    ...(key === '' ? [required(childOf(path, 'key'))] : []),
    ...(file === '' ? [required(childOf(path, 'path'))] : []),
    ...checkNonReservedPath(childOf(path, 'path'), file),
    ...checkFileMode(childOf(path, 'mode'), item['mode']),
  ];
};

/** Items are reported at the path of their source, as the real server does. */
const checkDownwardFile = (path: string, file: JsonObject): FieldErrors => {
  const [target, fieldRef, amount] = [
    textIn(file, 'path'),
    optionalIn(file, 'fieldRef'),
    optionalIn(file, 'resourceFieldRef'),
  ];
  const errors: FieldErrors = [
    ...(target === '' ? [required(childOf(path, 'path'))] : []),
    ...checkNonReservedPath(childOf(path, 'path'), target),
    ...(fieldRef ? checkFieldRef(childOf(path, 'fieldRef'), fieldRef, volumeFieldPaths) : []),
  ];
  const both = 'fieldRef and resourceFieldRef can not be specified simultaneously';
  if (fieldRef && amount) return [...errors, invalidValue(path, 'resource', both)];
  if (amount) return [...errors, ...checkResourceFieldRef(childOf(path, 'resourceFieldRef'), amount, true)];
  if (!fieldRef) return [...errors, required(path, 'one of fieldRef and resourceFieldRef is required')];
  return [...errors, ...checkFileMode(childOf(path, 'mode'), file['mode'])];
};

const checkToken = (path: string, at: string, token: JsonObject): FieldErrors => {
  const [seconds, target] = [numberIn(token, 'expirationSeconds'), textIn(token, 'path')];
  const secondsPath = childOf(at, 'expirationSeconds');
  return [
    ...(seconds < 600 ? [invalidValue(secondsPath, seconds, 'may not specify a duration less than 10 minutes')] : []),
    ...(seconds > 2 ** 32
      ? [invalidValue(secondsPath, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
    ...(target === '' ? [required(childOf(path, 'path'))] : checkNonReservedPath(childOf(path, 'path'), target)),
  ];
};

interface Projection {
  /** Of the volume's `projected`. */
  readonly path: string;
  /** Of the source in it. */
  readonly at: string;
  readonly seen: Set<string>;
}

const checkConflict = (path: string, { target, shown, seen }: ConflictFacts): FieldErrors => {
  if (target === '') return fine;
  if (seen.has(target)) return [invalidValue(path, shown, 'conflicting duplicate paths')];
  seen.add(target);
  return fine;
};

interface ConflictFacts {
  readonly target: string;
  readonly shown: string;
  readonly seen: Set<string>;
}

const checkProjectedKeys = (name: string, source: JsonObject, { path, at, seen }: Projection): FieldErrors => {
  const sourcePath = childOf(at, name);
  const shown = textIn(source, 'name');
  return [
    ...(shown === '' ? [required(childOf(sourcePath, 'name'))] : []),
    ...forItems(childOf(sourcePath, 'items'), listIn(source, 'items'), (item, itemPath) => [
      ...checkKeyToPath(itemPath, item),
      ...checkConflict(path, { target: textIn(item, 'path'), shown, seen }),
    ]),
  ];
};

const checkProjection = (projection: JsonObject, where: Projection): FieldErrors => {
  const { path, at, seen } = where;
  const of = (name: string): JsonObject | undefined => optionalIn(projection, name);
  const [secret, configMap, downward, token] = [
    of('secret'),
    of('configMap'),
    of('downwardAPI'),
    of('serviceAccountToken'),
  ];
  return [
    ...(secret ? checkProjectedKeys('secret', secret, where) : []),
    ...(configMap ? checkProjectedKeys('configMap', configMap, where) : []),
    ...listIn(downward, 'items').flatMap((file) => [
      ...checkDownwardFile(childOf(at, 'downwardAPI'), file),
      ...checkConflict(path, { target: textIn(file, 'path'), shown: textIn(file, 'path'), seen }),
    ]),
    ...(token ? checkToken(path, childOf(at, 'serviceAccountToken'), token) : []),
    ...(Object.keys(projection).length > 1
      ? [forbiddenField(at, 'may not specify more than 1 volume type per source')]
      : []),
  ];
};

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

const checkKeys =
  (nameMember: string) =>
  (path: string, source: JsonObject): FieldErrors => [
    ...(textIn(source, nameMember) === '' ? [required(childOf(path, nameMember))] : []),
    ...checkFileMode(childOf(path, 'defaultMode'), source['defaultMode']),
    ...forItems(childOf(path, 'items'), listIn(source, 'items'), (item, at) => checkKeyToPath(at, item)),
  ];

const checkHostPath = (path: string, source: JsonObject): FieldErrors => {
  const [target, type] = [textIn(source, 'path'), textIn(source, 'type')];
  if (target === '') return [required(childOf(path, 'path'))];
  return [
    ...checkNoBacksteps(childOf(path, 'path'), target),
    ...(hostPathTypes.includes(type) ? [] : [notSupported(childOf(path, 'type'), type, hostPathTypes)]),
  ];
};

/** In the order in which the real server looks at them: the first one counts, the others are too many. */
const sourceChecks: Readonly<Record<string, (path: string, source: JsonObject) => FieldErrors>> = {
  emptyDir: (path, source) =>
    source['sizeLimit'] !== undefined && storedQuantity(source['sizeLimit']).nano < 0n
      ? [forbiddenField(childOf(path, 'sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
      : fine,
  hostPath: checkHostPath,
  secret: checkKeys('secretName'),
  persistentVolumeClaim: (path, source) =>
    textIn(source, 'claimName') === '' ? [required(childOf(path, 'claimName'))] : fine,
  downwardAPI: (path, source) => [
    ...checkFileMode(childOf(path, 'defaultMode'), source['defaultMode']),
    ...listIn(source, 'items').flatMap((file) => checkDownwardFile(path, file)),
  ],
  configMap: checkKeys('name'),
  projected: (path, source) => {
    const seen = new Set<string>();
    return [
      ...checkFileMode(childOf(path, 'defaultMode'), source['defaultMode']),
      ...forItems(childOf(path, 'sources'), listIn(source, 'sources'), (projection, at) =>
        checkProjection(projection, { path, at, seen }),
      ),
    ];
  },
};

const checkSource = (path: string, volume: JsonObject): FieldErrors => {
  const used = Object.keys(sourceChecks).filter((name) => optionalIn(volume, name) !== undefined);
  if (used.length === 0) return [required(path, 'must specify a volume type')];
  return used.flatMap((name, i) => {
    const source = optionalIn(volume, name);
    if (i > 0) return [forbiddenField(childOf(path, name), 'may not specify more than 1 volume type')];
    return source === undefined ? fine : (sourceChecks[name]?.(childOf(path, name), source) ?? fine);
  });
};

/** What is wrong with volumes, and the names of those that are fine, for containers that mount them. */
export interface VolumesChecked {
  readonly errors: FieldErrors;
  readonly names: ReadonlySet<string>;
}

/**
 * The volumes of a pod.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateVolumes`)
 */
export const checkVolumes = (path: string, volumes: readonly JsonObject[]): VolumesChecked => {
  const names = new Set<string>();
  const errors = volumes.flatMap((volume, i) => {
    const name = textIn(volume, 'name');
    const at = keyOf(path, i);
    const namePath = childOf(at, 'name');
    const found = [
      ...checkSource(at, volume),
      ...(name === '' ? [required(namePath)] : checkText(namePath, name, isDns1123Label)),
      ...(names.has(name) ? [duplicate(namePath, name)] : []),
    ];
    if (found.length === 0) names.add(name);
    return found;
  });
  return { errors, names };
};
