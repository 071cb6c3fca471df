import { type FieldError, invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import type { ScaleSubresource, ServedVersion, Strategy } from '#lib/apiserver/machinery/served-kind.ts';
import { setDefaults } from '#lib/apiserver/schema/defaults.ts';
import { validateEmbedded } from '#lib/apiserver/schema/embedded.ts';
import { validateListTypes } from '#lib/apiserver/schema/list-types.ts';
import { validateSchema } from '#lib/apiserver/schema/validate.ts';
import { validateRules } from '#lib/cel/validate-rules.ts';
import { equalJson, type JsonObject, memberOf } from '#lib/json.ts';
import { decodeCustomResource, isOwnResource } from './custom-resource-decode.ts';
import { validateScaleSpec, validateScaleStatus } from './scale.ts';

/** The input of {@link customResourceStrategy}. */
export interface StrategyParts {
  readonly group: string;
  readonly kind: string;
  /** The schemas of the versions, as the CRD contains them. */
  readonly schemas: Readonly<Record<string, StructuralSchema>>;
  /** Names of versions with a status subresource. */
  readonly withStatus: ReadonlySet<string>;
  readonly storageVersion: string;
  readonly selectableFields: readonly string[];
}

const withoutStatus = (object: ServerObject): ServerObject => {
  if (!Object.hasOwn(object, 'status')) return object;
  const { status: _, ...rest } = object as ServerObject & { readonly status?: unknown };
  return rest;
};

const withStatusOf = (object: ServerObject, other: ServerObject): ServerObject => {
  if (!Object.hasOwn(other, 'status')) return withoutStatus(object);
  return object['status'] === other['status'] ? object : { ...object, status: other['status'] };
};

const differsBesidesMetadata = (object: ServerObject, old: ServerObject): boolean => {
  const names = new Set([...Object.keys(object), ...Object.keys(old)]);
  names.delete('metadata');
  return [...names].some((name) => !equalJson(object[name], old[name]));
};

/** @see k8s.io/apiextensions-apiserver v0.36.4 pkg/registry/customresource/strategy.go (`PrepareForUpdate`) */
const prepareUpdate = (object: ServerObject, old: ServerObject, version: ServedVersion): ServerObject => {
  const next = version.hasStatus ? withStatusOf(object, old) : object;
  const { generation = 0 } = old.metadata;
  return withGeneration(next, generation + (differsBesidesMetadata(next, old) ? 1 : 0));
};

/** @see k8s.io/apiextensions-apiserver v0.36.4 pkg/registry/customresource/status_strategy.go (`PrepareForUpdate`) */
const prepareStatusUpdate = (object: ServerObject, old: ServerObject): ServerObject => {
  const { managedFields: _, ...kept } = old.metadata;
  const { managedFields } = object.metadata;
  const next = withStatusOf(old, object);
  return { ...next, metadata: { ...kept, ...(managedFields && { managedFields }) } };
};

const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

interface ResourceChange {
  readonly object: ServerObject;
  readonly old?: ServerObject;
  readonly schema: StructuralSchema;
}

/** Whether a new object has no name. As on the real server, the CEL rules of such an object are not evaluated. */
const isNameless = ({ object: { metadata }, old }: ResourceChange): boolean =>
  old === undefined && ((metadata as { readonly name?: string }).name ?? '') === '';

const withRules = (errors: readonly FieldError[], change: ResourceChange, isBlocked = false): readonly FieldError[] => {
  const { object, old, schema } = change;
  const blocked = isBlocked || errors.some(({ reason }) => BLOCKING.has(reason));
  const rules = validateRules(schema, object, { ...(old !== undefined && { old }), skip: blocked });
  if (rules === 'skipped') return [...errors, invalidValue('', null, NOT_CHECKED)];
  return rules.length === 0 ? errors : [...errors, ...rules];
};

const validateTypeMeta = (object: ServerObject, { group, kind }: StrategyParts, version: string): FieldError[] => {
  const apiVersion = `${group}/${version}`;
  return [
    ...(object.kind === kind ? [] : [invalidValue('kind', object.kind, `must be ${kind}`)]),
    ...(object.apiVersion === apiVersion
      ? []
      : [invalidValue('apiVersion', object.apiVersion, `must be ${apiVersion}`)]),
  ];
};

const validateScale = (object: JsonObject, scale: ScaleSubresource | undefined): FieldError[] => [
  ...validateScaleSpec(object, scale),
  ...validateScaleStatus(object, scale),
];

/** Checks that lists have unique items. If the old object already had duplicates, duplicates are still allowed. */
const validateLists = ({ object, old, schema }: ResourceChange): FieldError[] => {
  const errors = validateListTypes(object, schema);
  return errors.length > 0 && old !== undefined && validateListTypes(old, schema).length > 0 ? [] : errors;
};

/** The checks of an object with a wrong kind or apiVersion. */
const validateRest = (errors: readonly FieldError[], change: ResourceChange): readonly FieldError[] => {
  const { object, schema } = change;
  return withRules([...errors, ...validateEmbedded(object, schema), ...validateLists(change)], change);
};

const validateStatus = (change: ResourceChange, scale: ScaleSubresource | undefined): readonly FieldError[] => {
  const { object, old, schema } = change;
  const status = memberOf(schema.properties, 'status');
  const errors =
    status === undefined || !Object.hasOwn(object, 'status')
      ? []
      : validateSchema(status, object['status'], { at: 'status', old: old?.['status'] });
  return withRules([...errors, ...validateScaleStatus(object, scale), ...validateLists(change)], change);
};

const validateWhole = (change: ResourceChange, scale: ScaleSubresource | undefined): readonly FieldError[] => {
  const { object, old, schema } = change;
  const errors = [
    ...validateSchema(schema, object, { ...(old !== undefined && { old }) }),
    ...validateScale(object, scale),
    ...validateEmbedded(object, schema),
    ...validateLists(change),
  ];
  return withRules(errors, change, isNameless(change));
};

const validation = (resource: StrategyParts): Pick<Strategy, 'validateCreate' | 'validateUpdate'> => {
  const schemaOf = ({ name }: ServedVersion): StructuralSchema => resource.schemas[name] ?? {};
  return {
    validateCreate(object, version) {
      const wrong = validateTypeMeta(object, resource, version.name);
      const change = { object, schema: schemaOf(version) };
      return wrong.length > 0 ? validateRest(wrong, change) : validateWhole(change, version.scale);
    },
    validateUpdate(object, old, { subresource, version }) {
      const wrong = validateTypeMeta(object, resource, version.name);
      const change = { object, old, schema: schemaOf(version) };
      if (wrong.length > 0) return validateRest(wrong, change);
      return subresource === 'status' ? validateStatus(change, version.scale) : validateWhole(change, version.scale);
    },
  };
};

/**
 * Returns the strategy of a custom resource.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/registry/customresource
 */
export const customResourceStrategy = (resource: StrategyParts): Strategy => {
  const { group, kind, schemas, withStatus, storageVersion, selectableFields } = resource;
  return {
    decode: (body, { name }) => decodeCustomResource(body, { group, kind, version: name, schema: schemas[name] ?? {} }),
    // An object of another kind gets no defaults. The validation refuses the object later.
    setDefaults: (object, { name }) => (isOwnResource(object, resource) ? setDefaults(object, schemas[name]) : object),
    prepareForCreate: (object, { hasStatus }) => withGeneration(hasStatus ? withoutStatus(object) : object, 1),
    prepareForUpdate: (object, old, { subresource, version }) =>
      subresource === 'status' ? prepareStatusUpdate(object, old) : prepareUpdate(object, old, version),
    ...validation(resource),
    resetFields: { '': withStatus.has(storageVersion) ? [['status']] : [], status: [['metadata'], ['spec']] },
    allowsUnconditionalUpdate: false,
    allowsCreateOnUpdate: false,
    ...(selectableFields.length > 0 && { selectableFields }),
  };
};
