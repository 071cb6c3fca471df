import {
  duplicate,
  forbiddenField,
  invalidValue,
  keyPath,
  memberPath,
  notSupported,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import { listIn, numberIn, optionalIn, textIn } from '#lib/apiserver/machinery/members.ts';
import { isDns1123LabelText } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems, onceValid } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { storedQuantity } from '../../codec/quantity.ts';
import { checkFieldRef, checkResourceFieldRef } from './env-validation.ts';
import { checkFileMode, checkNoBacksteps, checkNonReservedPath } from './path-validation.ts';

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
    ...(key === '' ? [required(memberPath(path, 'key'))] : []),
    ...(file === '' ? [required(memberPath(path, 'path'))] : []),
    ...checkNonReservedPath(memberPath(path, 'path'), file),
    ...checkFileMode(memberPath(path, 'mode'), item['mode']),
  ];
};

/** Checks a file of a downward API volume. As on the real server, errors have the path of the source, and not of the file. */
const checkDownwardFile = (path: string, file: JsonObject): FieldErrors => {
  const [target, fieldRef, amount] = [
    textIn(file, 'path'),
    optionalIn(file, 'fieldRef'),
    optionalIn(file, 'resourceFieldRef'),
  ];
  const errors: FieldErrors = [
    ...(target === '' ? [required(memberPath(path, 'path'))] : []),
    ...checkNonReservedPath(memberPath(path, 'path'), target),
    ...(fieldRef ? checkFieldRef(memberPath(path, 'fieldRef'), fieldRef, volumeFieldPaths) : []),
  ];
  const both = 'fieldRef and resourceFieldRef can not be specified simultaneously';
  if (fieldRef && amount) return [...errors, invalidValue(path, 'resource', both)];
  if (amount) return [...errors, ...checkResourceFieldRef(memberPath(path, 'resourceFieldRef'), amount, true)];
  if (!fieldRef) return [...errors, required(path, 'one of fieldRef and resourceFieldRef is required')];
  return [...errors, ...checkFileMode(memberPath(path, 'mode'), file['mode'])];
};

const checkToken = (path: string, at: string, token: JsonObject): FieldErrors => {
  const [seconds, target] = [numberIn(token, 'expirationSeconds'), textIn(token, 'path')];
  const secondsPath = memberPath(at, 'expirationSeconds');
  return [
    ...(seconds < 600 ? [invalidValue(secondsPath, seconds, 'may not specify a duration less than 10 minutes')] : []),
    ...(seconds > 2 ** 32
      ? [invalidValue(secondsPath, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
    ...(target === '' ? [required(memberPath(path, 'path'))] : checkNonReservedPath(memberPath(path, 'path'), target)),
  ];
};

interface Projection {
  /** The path of the member `projected` of the volume. */
  readonly path: string;
  /** The path of the source in the projected volume. */
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
  const sourcePath = memberPath(at, name);
  const shown = textIn(source, 'name');
  return [
    ...(shown === '' ? [required(memberPath(sourcePath, 'name'))] : []),
    ...forItems(memberPath(sourcePath, 'items'), listIn(source, 'items'), (item, itemPath) => [
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
      ...checkDownwardFile(memberPath(at, 'downwardAPI'), file),
      ...checkConflict(path, { target: textIn(file, 'path'), shown: textIn(file, 'path'), seen }),
    ]),
    ...(token ? checkToken(path, memberPath(at, 'serviceAccountToken'), token) : []),
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
    ...(textIn(source, nameMember) === '' ? [required(memberPath(path, nameMember))] : []),
    ...checkFileMode(memberPath(path, 'defaultMode'), source['defaultMode']),
    ...forItems(memberPath(path, 'items'), listIn(source, 'items'), (item, at) => checkKeyToPath(at, item)),
  ];

/** Checks a volume that is a path of the node. */
export const checkHostPath = (path: string, source: JsonObject): FieldErrors => {
  const [target, type] = [textIn(source, 'path'), textIn(source, 'type')];
  if (target === '') return [required(memberPath(path, 'path'))];
  return [
    ...checkNoBacksteps(memberPath(path, 'path'), target),
    ...(hostPathTypes.includes(type) ? [] : [notSupported(memberPath(path, 'type'), type, hostPathTypes)]),
  ];
};

/** The checks of volume sources, in the order of the real server. A volume has one source; each further source is an error. */
const sourceChecks: Readonly<Record<string, (path: string, source: JsonObject) => FieldErrors>> = {
  emptyDir: (path, source) =>
    source['sizeLimit'] !== undefined && storedQuantity(source['sizeLimit']).nano < 0n
      ? [forbiddenField(memberPath(path, 'sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
      : fine,
  hostPath: checkHostPath,
  secret: checkKeys('secretName'),
  persistentVolumeClaim: (path, source) =>
    textIn(source, 'claimName') === '' ? [required(memberPath(path, 'claimName'))] : fine,
  downwardAPI: (path, source) => [
    ...checkFileMode(memberPath(path, 'defaultMode'), source['defaultMode']),
    ...listIn(source, 'items').flatMap((file) => checkDownwardFile(path, file)),
  ],
  configMap: checkKeys('name'),
  projected: onceValid((path, source) => {
    const seen = new Set<string>();
    return [
      ...checkFileMode(memberPath(path, 'defaultMode'), source['defaultMode']),
      ...forItems(memberPath(path, 'sources'), listIn(source, 'sources'), (projection, at) =>
        checkProjection(projection, { path, at, seen }),
      ),
    ];
  }),
};

const checkSource = (path: string, volume: JsonObject): FieldErrors => {
  const used = Object.keys(sourceChecks).filter((name) => optionalIn(volume, name) !== undefined);
  if (used.length === 0) return [required(path, 'must specify a volume type')];
  return used.flatMap((name, i) => {
    const source = optionalIn(volume, name);
    if (i > 0) return [forbiddenField(memberPath(path, name), 'may not specify more than 1 volume type')];
    return source === undefined ? fine : (sourceChecks[name]?.(memberPath(path, name), source) ?? fine);
  });
};

/** The errors of volumes, and the names of valid volumes. Containers may mount only valid volumes. */
export interface VolumesChecked {
  readonly errors: FieldErrors;
  readonly names: ReadonlySet<string>;
}

/**
 * Validates the volumes of a pod.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateVolumes`)
 */
export const checkVolumes = (path: string, volumes: readonly JsonObject[]): VolumesChecked => {
  const names = new Set<string>();
  const errors = volumes.flatMap((volume, i) => {
    const name = textIn(volume, 'name');
    const at = keyPath(path, i);
    const namePath = memberPath(at, 'name');
    const found = [
      ...checkSource(at, volume),
      ...(name === '' ? [required(namePath)] : checkText(namePath, name, isDns1123LabelText)),
      ...(names.has(name) ? [duplicate(namePath, name)] : []),
    ];
    if (found.length === 0) names.add(name);
    return found;
  });
  return { errors, names };
};
