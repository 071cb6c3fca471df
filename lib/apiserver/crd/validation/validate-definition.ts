import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  keyPath,
  memberPath,
  notSupported,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { notImplemented } from '#lib/apiserver/machinery/status.ts';
import { equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';
import { type DefinitionSpec, definitionStatus, isConditionTrue, specOf } from '../definition.ts';
import { shownVersions } from './go-struct.ts';
import { type InternalSpec, toInternal } from './internal-form.ts';
import { labelError, validateGroup, validateNames } from './validate-names.ts';
import {
  validateColumns,
  validateDeprecation,
  validateSelectableFields,
  validateSubresources,
} from './validate-version.ts';
import { validateVersionSchema } from './validate-version-schema.ts';

const validateScope = (scope: string): FieldError[] => {
  if (scope === '') return [required('spec.scope')];
  return scope === 'Cluster' || scope === 'Namespaced'
    ? []
    : [notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])];
};

const hasStatus = (subresources: InternalSpec['subresources']): boolean => subresources?.status !== undefined;

const validateVersions = (spec: InternalSpec): FieldError[] =>
  spec.versions.flatMap((version, index) => {
    const path = keyPath('spec.versions', index);
    const status = hasStatus(version.subresources ?? spec.subresources);
    return [
      ...labelError(version.name, memberPath(path, 'name')),
      ...validateDeprecation(version, path),
      ...validateVersionSchema(version.schema?.openAPIV3Schema, memberPath(path, 'schema'), status),
      ...validateSubresources(version.subresources, memberPath(path, 'subresources')),
      ...validateColumns(version.additionalPrinterColumns, memberPath(path, 'additionalPrinterColumns')),
      ...validateSelectableFields(
        version.selectableFields,
        version.schema?.openAPIV3Schema,
        memberPath(path, 'selectableFields'),
      ),
    ];
  });

const validateMissingSchemas = (spec: InternalSpec): FieldError[] => {
  if (spec.validation?.openAPIV3Schema !== undefined) return [];
  return spec.versions.flatMap(({ schema }, index) =>
    schema?.openAPIV3Schema === undefined ? [required(`spec.versions[${index}].schema.openAPIV3Schema`)] : [],
  );
};

const validateVersionList = (spec: InternalSpec): FieldError[] => {
  const names = spec.versions.map(({ name }) => name);
  const shown = shownVersions(spec.versions);
  const stored = spec.versions.filter(({ storage }) => storage).length;
  return [
    ...(new Set(names).size < names.length
      ? [invalidValue('spec.versions', shown, 'must contain unique version names')]
      : []),
    ...(stored === 1
      ? []
      : [invalidValue('spec.versions', shown, 'must have exactly one version marked as storage version')]),
    ...(spec.version === '' ? [] : labelError(spec.version, 'spec.version')),
  ];
};

const validateShared = (spec: InternalSpec): FieldError[] => {
  const anyStatus = hasStatus(spec.subresources) || spec.versions.some(({ subresources }) => hasStatus(subresources));
  const schema = spec.validation?.openAPIV3Schema;
  return [
    ...validateVersionSchema(schema, 'spec.validation', anyStatus),
    ...validateSubresources(spec.subresources, 'spec.subresources'),
    ...validateColumns(spec.additionalPrinterColumns, 'spec.additionalPrinterColumns'),
    ...validateSelectableFields(spec.selectableFields, schema, 'spec.selectableFields'),
  ];
};

const validateConversion = ({ conversion }: DefinitionSpec): FieldError[] => {
  const { strategy = '', webhook } = conversion ?? {};
  const path: FieldPath = 'spec.conversion';
  if (strategy === 'Webhook') throw notImplemented('conversion of custom resources by a webhook');
  const errors: FieldError[] = [];
  if (conversion !== undefined && strategy === '') errors.push(required(memberPath(path, 'strategy')));
  else if (strategy !== '' && strategy !== 'None') {
    errors.push(notSupported(memberPath(path, 'strategy'), strategy, ['None', 'Webhook']));
  }
  const why = 'should not be set when strategy is not set to Webhook';
  const versions = webhook?.['conversionReviewVersions'];
  if (webhook?.['clientConfig'] !== undefined)
    errors.push(forbiddenField(memberPath(path, 'webhookClientConfig'), why));
  if (Array.isArray(versions) && versions.length > 0) {
    errors.push(forbiddenField(memberPath(path, 'conversionReviewVersions'), why));
  }
  return errors;
};

const inside = (schema: StructuralSchema): readonly unknown[] => {
  const { properties = {}, additionalProperties, items, not, allOf = [], anyOf = [], oneOf = [] } = schema;
  return [...Object.values(properties), additionalProperties, items, not, ...allOf, ...anyOf, ...oneOf];
};

const hasDefault = (schema: unknown): boolean =>
  isPlainObject(schema) && (schema['default'] !== undefined || inside(schema).some(hasDefault));

const validateDefaults = (spec: InternalSpec): FieldError[] => {
  const schemas = [spec.validation, ...spec.versions.map(({ schema }) => schema)];
  if (spec.preserveUnknownFields !== true || !schemas.some((one) => hasDefault(one?.openAPIV3Schema))) return [];
  return [invalidValue('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema')];
};

const validateSpec = (spec: InternalSpec): FieldError[] => [
  ...validateGroup(spec.group),
  ...validateScope(spec.scope),
  ...validateMissingSchemas(spec),
  ...validateDefaults(spec),
  ...validateVersions(spec),
  ...validateVersionList(spec),
  ...validateNames(spec.names),
  ...validateShared(spec),
  ...validateConversion(spec),
];

const validateStoredVersions = (definition: JsonObject): FieldError[] => {
  const stored = definitionStatus(definition).storedVersions ?? [];
  const path: FieldPath = 'status.storedVersions';
  if (stored.length === 0) return [invalidValue(path, null, 'must have at least one stored version')];
  const { versions } = specOf(definition);
  const missing = versions.filter(({ storage, name }) => storage && !stored.includes(name));
  return [
    ...missing.map(({ name }) => invalidValue(path, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, index) =>
      versions.some((version) => version.name === name)
        ? []
        : [
            invalidValue(
              keyPath(path, index),
              name,
              `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
            ),
          ],
    ),
  ];
};

const APPROVAL = 'api-approved.kubernetes.io';
const PROTECTED = /(?:^|\.)(?:k8s|kubernetes)\.io$/;

const approvalOf = (definition: ServerObject): string => definition.metadata.annotations?.[APPROVAL] ?? '';

const isApproved = (approval: string): boolean =>
  approval.startsWith('unapproved') || (/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(approval) && URL.canParse(approval));

/**
 * Checks the approval annotation, which CRDs in API groups of the Kubernetes project need.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apihelpers/helpers.go
 */
const validateApproval = (definition: ServerObject, old?: ServerObject): FieldError[] => {
  const approval = approvalOf(definition);
  if (!PROTECTED.test(specOf(definition).group) || isApproved(approval)) return [];
  if (old !== undefined && (approvalOf(old) === '') === (approval === '') && !isApproved(approvalOf(old))) return [];
  const path = keyPath('metadata.annotations', APPROVAL);
  const why = `protected groups must have approval annotation "${APPROVAL}"`;
  const more = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (approval === '') return [required(path, `${why}, ${more}`)];
  return [invalidValue(path, approval, `${why} with either a URL or a reason starting with "unapproved", ${more}`)];
};

const validatePreserve = ({ preserveUnknownFields }: DefinitionSpec): FieldError[] =>
  preserveUnknownFields === true
    ? [
        invalidValue(
          'spec.preserveUnknownFields',
          true,
          'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
        ),
      ]
    : [];

const validateBoth = (definition: ServerObject, old?: ServerObject): FieldError[] => {
  const spec = specOf(definition);
  return [
    ...validateSpec(toInternal(spec)),
    ...(old === undefined ? [] : validateImmutable(spec, old)),
    ...validateStoredVersions(definition),
    ...validateApproval(definition, old),
    ...validatePreserve(spec),
  ];
};

const immutable = (path: FieldPath, value: unknown, old: unknown): FieldError[] =>
  equalJson(value, old) ? [] : [invalidValue(path, value, 'field is immutable')];

const validateImmutable = (spec: DefinitionSpec, old: ServerObject): FieldError[] => {
  const before = specOf(old);
  return [
    ...(isConditionTrue(old, 'Established')
      ? [
          ...immutable('spec.scope', spec.scope, before.scope),
          ...immutable('spec.names.kind', spec.names.kind, before.names.kind),
        ]
      : []),
    ...immutable('spec.group', spec.group, before.group),
    ...immutable('spec.names.plural', spec.names.plural, before.names.plural),
  ];
};

/**
 * Validates a new CRD. In the metadata, this function validates only the name and the approval annotation.
 *
 * @throws {StatusError} 501 for features of the real server that the virtual server lacks
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/validation/validation.go
 */
export const validateDefinition = (definition: ServerObject): FieldError[] => {
  const { group, names } = specOf(definition);
  const { name } = definition.metadata;
  const wrong = name === `${names.plural}.${group}` ? [] : ['must be spec.names.plural+"."+spec.group'];
  return [...wrong.map((why) => invalidValue('metadata.name', name, why)), ...validateBoth(definition)];
};

/** Validates an update of a CRD. @throws {StatusError} 501 as {@link validateDefinition} */
export const validateDefinitionUpdate = (definition: ServerObject, old: ServerObject): FieldError[] =>
  validateBoth(definition, old);
