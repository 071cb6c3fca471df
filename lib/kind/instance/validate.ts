import type { Issue } from '#lib/errors.ts';
import { childPath, isPlainObject, type JsonObject, membersOf } from '#lib/json.ts';
import { isDnsSubdomain, SUBDOMAIN_LENGTH } from '../dns.ts';
import { readSchema } from '../json-schema/json-schema.ts';
import { apiVersionOf } from '../names.ts';
import type { KindShape } from '../shape.ts';
import { checkValue, type ValueCheckOptions } from '../value/check.ts';
import { fillDefaults } from '../value/defaults.ts';
import { tryNearest } from '../value/suggestion.ts';

/** Options of {@link validateResource}. */
export type ValidateOptions = Pick<ValueCheckOptions, 'isToken'>;

type Context = { readonly shape: KindShape; readonly isToken: (value: unknown) => boolean };

const FIELDS = ['apiVersion', 'kind', 'metadata', 'spec'];

const checkFields = (resource: JsonObject): Issue[] =>
  membersOf(resource).flatMap(([name, value]): Issue[] => {
    if (FIELDS.includes(name)) return [];
    const path = childPath('', name);
    if (name === 'status') {
      const message = 'must not be set: the operator reports the status, and the API server drops it on creation';
      return [{ path, rule: 'status', value, message, fix: 'leave status out' }];
    }
    const nearest = tryNearest(name, FIELDS);
    const message = `unknown field "${name}"; allowed: ${FIELDS.join(', ')}`;
    return [{ path, rule: 'unknown-field', value, message, ...(nearest && { fix: `did you mean "${nearest}"?` }) }];
  });

const checkIdentity = (resource: JsonObject, { shape, isToken }: Context): Issue[] => {
  const expected = { apiVersion: apiVersionOf(shape), kind: shape.kind };
  return Object.entries(expected).flatMap(([path, wanted]): Issue[] => {
    const value = resource[path];
    const fits = value === undefined || value === wanted || isToken(value);
    return fits ? [] : [{ path, rule: 'identity', value, message: `must be "${wanted}"` }];
  });
};

const checkName = (name: unknown, shape: KindShape): Issue[] => {
  const issue = { path: 'metadata.name', rule: 'name', value: name };
  if (typeof name !== 'string') return [{ ...issue, message: 'must be a string' }];
  const { maxLength = SUBDOMAIN_LENGTH, isLabel = false } = shape.name ?? {};
  if (name.length > maxLength) {
    return [{ ...issue, message: `must have at most ${maxLength} characters, has ${name.length}` }];
  }
  if (isLabel && name.includes('.')) {
    return [{ ...issue, message: 'must be a DNS label: lower-case letters, digits and "-", without dots' }];
  }
  const message = 'must consist of lower-case letters, digits, "-" and ".", and begin and end with a letter or digit';
  return isDnsSubdomain(name) ? [] : [{ ...issue, message }];
};

/**
 * Checks that a cluster-scoped resource has no namespace. cdk8s sets the namespace of a chart on every object, but the
 * construct of a cluster-scoped kind removes this namespace again.
 */
const checkNamespace = ({ namespace: value }: JsonObject, { shape: { kind, scope }, isToken }: Context): Issue[] => {
  if (scope !== 'Cluster' || value === undefined || isToken(value)) return [];
  const message = `must be absent: ${kind} is cluster-scoped`;
  return [{ path: 'metadata.namespace', rule: 'namespace', value, message, fix: 'leave the namespace out' }];
};

const checkMetadata = (metadata: unknown, { shape, isToken }: Context): Issue[] => {
  if (metadata === undefined || isToken(metadata)) return [];
  if (!isPlainObject(metadata)) {
    return [{ path: 'metadata', rule: 'type', value: metadata, message: 'must be an object' }];
  }
  const { name } = metadata;
  return [
    ...checkNamespace(metadata, { shape, isToken }),
    ...(name === undefined || isToken(name) ? [] : checkName(name, shape)),
  ];
};

const checkSpec = (spec: unknown, { shape, isToken }: Context): Issue[] => {
  if (spec === undefined) return [{ path: 'spec', rule: 'required', message: 'is required' }];
  const schema = readSchema({ ...shape.spec });
  return checkValue(schema, fillDefaults(schema, spec), { path: 'spec', isToken });
};

/**
 * Checks a resource before it is written to a manifest. Finds values that the API server would refuse or silently drop. This
 * function does not evaluate CEL rules; constructs and the API server do.
 *
 * An absent field with a default counts as set to the default. `metadata.name` is checked when it is present. A member with the
 * value undefined counts as absent. A null has the wrong type unless the schema is nullable, or allows any type.
 *
 * @param shape - the kind; if its definition does not compile, the results have no meaning
 * @param resource - the whole object: metadata and spec, with or without apiVersion and kind
 * @param options - `isToken`: whether a value is a placeholder that is resolved later; such values are not checked
 * @returns every issue with its path, such as `spec.steps[2].percent`; empty when the resource is valid
 * @example
 * validateResource(podSet, { metadata: { name: 'web' }, spec: { replicas: '3' } });
 * // [{ path: 'spec.replicas', message: 'must be a whole number, not a string', fix: 'write 3 without quotes', … }]
 */
export const validateResource = (shape: KindShape, resource: unknown, options: ValidateOptions = {}): Issue[] => {
  if (!isPlainObject(resource)) return [{ path: '', rule: 'type', value: resource, message: 'must be an object' }];
  const context: Context = { shape, isToken: options.isToken ?? (() => false) };
  return [
    ...checkFields(resource),
    ...checkIdentity(resource, context),
    ...checkMetadata(resource['metadata'], context),
    ...checkSpec(resource['spec'], context),
  ];
};
