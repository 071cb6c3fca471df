import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { goJson } from '#lib/apiserver/machinery/go-text.ts';
import type { Atom } from './atom.ts';
import { compare } from './compare.ts';
import { metadataOf } from './field-manager.ts';
import { difference, type FieldSet } from './field-set.ts';
import { toFieldSet } from './to-field-set.ts';
import { isMap } from './value.ts';

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
 * What kubectl has applied client-side and nobody has changed since: it may take these fields over without force.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/lastappliedmanager.go
 * @returns undefined when the object says nothing, or nothing that can be read, of it
 */
export const appliedByClient = (atom: Atom, live: JsonObject, apiVersion: string): FieldSet | undefined => {
  const configuration = parsed(lastAppliedIn(live));
  if (configuration === undefined || configuration['apiVersion'] !== apiVersion) return undefined;
  const { modified, added, removed } = compare(atom, configuration, live);
  return difference(difference(difference(toFieldSet(atom, configuration), modified), added), removed);
};

/**
 * Keeps the note of what was applied client-side up to date with what is applied by the server, where there is one.
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
  const told = { ...(live['annotations'] as JsonObject), [ANNOTATION]: text };
  return { ...object, metadata: { ...live, annotations: told } };
};
