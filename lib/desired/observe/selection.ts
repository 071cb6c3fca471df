import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { ownershipsOf } from '#lib/desired/marks/ownership.ts';
import { InvalidDesiredError, type Issue } from '#lib/errors.ts';
import { isPlainObject, memberOf } from '#lib/json.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { resourceText } from './scoped-name.ts';

/** Labels that objects must have, with these values. */
export type Labels = Readonly<Record<string, string>>;

/** Whether an object has all of the labels. */
export const carries = ({ metadata }: KubeObject, labels: Labels): boolean =>
  Object.entries(labels).every(([key, value]) => memberOf(metadata?.labels, key) === value);

const FIX = 'return labels and their values, such as { app: resource.metadata.name }';

const labelIssues = (labels: unknown): Issue[] => {
  if (!isPlainObject(labels)) return [{ path: '', message: 'must be an object of labels', value: labels, fix: FIX }];
  return Object.entries(labels)
    .filter(([, value]) => typeof value !== 'string')
    .map(([key, value]) => ({ path: `["${key}"]`, message: 'must be text', value, fix: FIX }));
};

/**
 * The labels of orphans that a resource may adopt.
 *
 * @returns `undefined` if there are none: the kind has no selector, the selector is empty (it would select all objects), or the
 *   resource is being deleted
 * @throws {InvalidDesiredError} when the selector returns a value that is not a map of labels; also the errors of the selector
 */
export const selectorOf = (definition: AnyKindDefinition, resource: AnyResource): Labels | undefined => {
  if (definition.selector === undefined || resource.metadata.deletionTimestamp !== undefined) return undefined;
  const labels: unknown = definition.selector(resource);
  const issues = labelIssues(labels);
  if (issues.length > 0)
    throw new InvalidDesiredError(resourceText(definition, resource), issues, { from: 'selector()' });
  return Object.keys(labels as Labels).length === 0 ? undefined : (labels as Labels);
};

const NAMES_FIX = 'return names of objects, such as [`${resource.metadata.name}-pod`]';

/**
 * The names of orphans that a resource may adopt, with any labels.
 *
 * @returns an empty list if the kind has no `orphanNames`, or the resource is being deleted
 * @throws {InvalidDesiredError} when the function returns a value that is not a list of names; also the errors of the function
 */
export const orphanNamesOf = (definition: AnyKindDefinition, resource: AnyResource): readonly string[] => {
  if (definition.orphanNames === undefined || resource.metadata.deletionTimestamp !== undefined) return [];
  const names: unknown = definition.orphanNames(resource);
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  const issue = { path: '', message: 'must be a list of names', value: names, fix: NAMES_FIX };
  throw new InvalidDesiredError(resourceText(definition, resource), [issue], { from: 'orphanNames()' });
};

/** True if an object has no controller, is no child of an extension, and is not being deleted. */
export const isOrphan = (object: KubeObject): boolean =>
  object.metadata?.deletionTimestamp === undefined && ownershipsOf(object).length === 0;
