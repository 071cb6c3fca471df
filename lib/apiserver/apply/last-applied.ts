import { goJson } from '#lib/apiserver/machinery/text/go-text.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { metadataOf } from './field-manager.ts';
import { difference, type FieldSet } from './fields/field-set.ts';
import { isMap } from './fields/value.ts';
import type { Atom } from './typed/atom.ts';
import { compare } from './typed/compare.ts';
import { toFieldSet } from './typed/to-field-set.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

const lastAppliedIn = (object: JsonObject): string => {
  const { annotations } = metadataOf(object);
  const text = isMap(annotations) ? annotations[ANNOTATION] : undefined;
  return typeof text === 'string' ? text : '';
};

const parsed = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Returns the fields that kubectl applied client-side and that have not changed since. kubectl may take over these fields without
 * force.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/lastappliedmanager.go
 * @returns undefined when the last-applied annotation is absent, cannot be parsed, or has another apiVersion
 */
export const appliedByClient = (atom: Atom, live: JsonObject, apiVersion: string): FieldSet | undefined => {
  const text = lastAppliedIn(live);
  const configuration = text === '' ? undefined : parsed(text);
  if (configuration === undefined || configuration['apiVersion'] !== apiVersion) return undefined;
  const { modified, added, removed } = compare(atom, configuration, live);
  return difference(difference(difference(toFieldSet(atom, configuration), modified), added), removed);
};

/**
 * Sets the last-applied annotation of an object that has this annotation to the configuration of a server-side apply.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/lastappliedupdater.go
 * @returns the object itself when nothing changes
 */
export const withLastApplied = (object: JsonObject, config: JsonObject): JsonObject => {
  const last = lastAppliedIn(object);
  if (last === '') return object;
  const { annotations, ...metadata } = metadataOf(config);
  const others = isMap(annotations)
    ? { annotations: Object.fromEntries(Object.entries(annotations).filter(([name]) => name !== ANNOTATION)) }
    : {};
  const text = `${goJson({ ...config, metadata: { ...metadata, ...others } })}\n`;
  if (text === last) return object;
  const live = metadataOf(object);
  const annotated = { ...(live['annotations'] as JsonObject), [ANNOTATION]: text };
  return { ...object, metadata: { ...live, annotations: annotated } };
};
