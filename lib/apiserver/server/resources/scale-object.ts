import { selectorText } from '#lib/apiserver/machinery/label-selector.ts';
import type { ManagedFieldsEntry, ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ScaleSubresource } from '#lib/apiserver/machinery/served-kind.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';

const partsOf = (path: string): readonly string[] => path.replace(/^\./, '').split('.');

const valueAt = (object: JsonObject, path: string): unknown => {
  let value: unknown = object;
  for (const part of partsOf(path)) {
    value = isPlainObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
};

const withValueAt = (object: JsonObject, parts: readonly string[], value: unknown): JsonObject => {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return { ...object, [first]: value };
  const inner = object[first];
  return { ...object, [first]: withValueAt(isPlainObject(inner) ? inner : {}, rest, value) };
};

/** Returns a copy of an object with `replicas` at `specReplicasPath`. */
export const withReplicas = (
  object: JsonObject,
  { specReplicasPath }: ScaleSubresource,
  replicas: number,
): JsonObject => withValueAt(object, partsOf(specReplicasPath), replicas);

/** Returns the member names in `specReplicasPath`, for managed fields. */
export const replicasPath = ({ specReplicasPath }: ScaleSubresource): readonly string[] => partsOf(specReplicasPath);

/** Returns the selector as text. Custom resources store the selector as text, and built-in kinds as an object. */
const selectorIn = (selector: unknown): string => {
  if (typeof selector === 'string') return selector;
  return isPlainObject(selector) ? selectorText(selector) : '';
};

const numberAt = (object: JsonObject, path: string): number | undefined => {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : undefined;
};

/** Returns the number at `specReplicasPath`; undefined when there is no number. */
export const specReplicas = (object: JsonObject, { specReplicasPath }: ScaleSubresource): number | undefined =>
  numberAt(object, specReplicasPath);

interface Scaled {
  readonly replicas: number;
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined;
}

/**
 * Builds the `Scale` of an object.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/registry/customresource/etcd.go (`scaleFromCustomResource`)
 */
export const scaleOf = (
  object: ServerObject,
  scale: ScaleSubresource,
  { replicas, managedFields }: Scaled,
): JsonObject => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { statusReplicasPath, labelSelectorPath } = scale;
  const selector = labelSelectorPath === undefined ? '' : selectorIn(valueAt(object, labelSelectorPath));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
      ...(managedFields && { managedFields }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: numberAt(object, statusReplicasPath) ?? 0, ...(selector !== '' && { selector }) },
  };
};
