import { type FieldError, invalid } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerMeta, ServerObject } from '#lib/apiserver/machinery/object.ts';
import { groupVersionOf, isResource, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import type { StatusError } from '#lib/apiserver/machinery/status.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import type { FieldErrors } from '#lib/apiserver/machinery/validation/field.ts';
import {
  type MetaRules,
  namesThat,
  pathSegmentNames,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '#lib/apiserver/machinery/validation/object-meta.ts';
import { kindSubject, type Target } from '../target.ts';

const rulesOf = ({ scope }: ServedKind): MetaRules => ({
  names: pathSegmentNames,
  isNamespaced: scope === 'Namespaced',
});

const customNames = namesThat(isDns1123Subdomain);

/** Whether an error concerns the kind or the apiVersion. After such an error, the server does not validate the metadata. */
const isTypeError = ({ field }: FieldError): boolean => field === 'kind' || field === 'apiVersion';

/** Whether an error concerns the metadata. With such an error, the strategy has validated the metadata itself. */
const isMetaError = ({ field }: FieldError): boolean => field.startsWith('metadata.');

/** Whether the server has to validate the metadata, because the strategy of a custom resource has not validated it. */
const leavesMetadata = ({ kind }: Target, found: FieldErrors): boolean =>
  kind.isCustom === true && !found.some(isTypeError) && !found.some(isMetaError);

const isOfName = ({ field }: FieldError): boolean => field === 'metadata.name' || field === 'metadata.generateName';

/** Orders the errors of a CRD: errors of its name and metadata first, and then the other errors of the strategy. */
const withDefinitionMeta = (metadata: ServerMeta, found: FieldErrors): FieldErrors => {
  const meta = validateObjectMeta(metadata, { names: customNames, isNamespaced: false });
  const isNamed = (metadata.name ?? '') !== '';
  return [
    ...meta.filter(isOfName),
    ...(isNamed ? found.filter(isOfName) : []),
    ...[...meta, ...found].filter((error) => !isOfName(error)),
  ];
};

/**
 * Returns the errors of a new object. Adds errors of the metadata where the strategy does not report them.
 */
const ofStrategy = (target: Target, object: ServerObject): FieldErrors => {
  const { kind, version } = target;
  const found = kind.strategy.validateCreate(object, version);
  if (isResource(kind, resources.definitions)) return withDefinitionMeta(object.metadata, found);
  if (!leavesMetadata(target, found)) return found;
  return [...validateObjectMeta(object.metadata, { ...rulesOf(kind), names: customNames }), ...found];
};

/** Returns the group and kind in the body of a custom resource, which errors contain. */
const typeOf = ({ kind }: Target, object: ServerObject): { readonly group?: string; readonly kind?: string } => {
  if (kind.isCustom !== true) return {};
  const { apiVersion } = object;
  return { group: groupVersionOf(apiVersion).group, kind: object.kind };
};

const refusal = (target: Target, object: ServerObject, errors: FieldErrors): StatusError => {
  const { name = '' } = object.metadata as { readonly name?: string };
  return invalid({ ...kindSubject(target, name), ...typeOf(target, object) }, errors);
};

/**
 * Validates a new object. Metadata is validated again when the strategy finds no error.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/rest/create.go (`BeforeCreate`)
 * @throws {StatusError} 422
 */
export const validateNew = (target: Target, object: ServerObject): void => {
  const own = ofStrategy(target, object);
  const errors = own.length > 0 ? own : validateObjectMeta(object.metadata, rulesOf(target.kind));
  if (errors.length > 0) throw refusal(target, object, errors);
};

interface Changed {
  readonly object: ServerObject;
  readonly live: ServerObject;
  readonly found: FieldErrors;
}

/**
 * Validates a changed object. For a custom resource, errors of changed metadata are reported twice, as on the real server: as
 * errors of the server, and as errors of the strategy.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/rest/update.go (`BeforeUpdate`)
 * @throws {StatusError} 422
 */
export const validateChanged = (target: Target, { object, live, found }: Changed): void => {
  const ofUpdate = validateObjectMetaUpdate(object.metadata, live.metadata);
  const errors = [
    ...validateObjectMeta(object.metadata, rulesOf(target.kind)),
    ...ofUpdate,
    ...(leavesMetadata(target, found) ? ofUpdate : []),
    ...found,
  ];
  if (errors.length > 0) throw refusal(target, object, errors);
};
