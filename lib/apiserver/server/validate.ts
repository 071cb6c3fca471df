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
import { kindSubject, type Target } from './target.ts';

const rulesOf = ({ scope }: ServedKind): MetaRules => ({
  names: pathSegmentNames,
  isNamespaced: scope === 'Namespaced',
});

const customNames = namesThat(isDns1123Subdomain);

/** An error that says that an object is not what it should be; then nothing else is looked at. */
const isTypeError = ({ field }: FieldError): boolean => field === 'kind' || field === 'apiVersion';

/** An error of a strategy that has looked at metadata itself. */
const isMetaError = ({ field }: FieldError): boolean => field.startsWith('metadata.');

/** Strategies of custom resources leave their metadata to the server. */
const leavesMetadata = ({ kind }: Target, found: FieldErrors): boolean =>
  kind.isCustom === true && !found.some(isTypeError) && !found.some(isMetaError);

const isOfName = ({ field }: FieldError): boolean => field === 'metadata.name' || field === 'metadata.generateName';

/** What a definition demands of its name is a part of what is said about names. */
const withDefinitionMeta = (metadata: ServerMeta, found: FieldErrors): FieldErrors => {
  const meta = validateObjectMeta(metadata, { names: customNames, isNamespaced: false });
  const isNamed = (metadata.name ?? '') !== '';
  return [
    ...meta.filter(isOfName),
    ...(isNamed ? found.filter(isOfName) : []),
    ...[...meta, ...found].filter((error) => !isOfName(error)),
  ];
};

/** What a strategy finds wrong with a new object, and what it leaves to the server. */
const ofStrategy = (target: Target, object: ServerObject): FieldErrors => {
  const { kind, version } = target;
  const found = kind.strategy.validateCreate(object, version);
  if (isResource(kind, resources.definitions)) return withDefinitionMeta(object.metadata, found);
  if (!leavesMetadata(target, found)) return found;
  return [...validateObjectMeta(object.metadata, { ...rulesOf(kind), names: customNames }), ...found];
};

/** Custom resources are named in errors by what they claim to be. */
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
 * Validates a new object. Metadata is looked at once more when the strategy finds nothing.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/rest/create.go (`BeforeCreate`)
 * @throws {StatusError} 422
 */
export const validateNew = (target: Target, object: ServerObject): void => {
  const own = ofStrategy(target, object);
  const errors = own.length > 0 ? own : validateObjectMeta(object.metadata, rulesOf(target.kind));
  if (errors.length > 0) throw refusal(target, object, errors);
};

/** An object and what it was before. */
interface Changed {
  readonly object: ServerObject;
  readonly live: ServerObject;
  /** What the strategy finds. */
  readonly found: FieldErrors;
}

/**
 * Validates a changed object: what is wrong with metadata is said twice, as by the real server.
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
