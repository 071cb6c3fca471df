import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import { withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { Decoded, ServedKind, ServedVersion, Strategy } from '#lib/apiserver/machinery/served-kind.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';
import type { FieldErrors } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { readObject } from './codec/codec.ts';
import { openApiSchema } from './codec/openapi.ts';
import { WrongType } from './codec/wrong-type.ts';
import { limitAdmission } from './quota/limit-admission.ts';
import { quotaAdmission } from './quota/quota-admission.ts';

/** The names of a built-in kind, and its strategy. */
export interface BuiltinKind {
  readonly group: string;
  /** @default 'v1' */
  readonly version?: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly hasStatus?: boolean;
  readonly scale?: NonNullable<ServedVersion['scale']>;
  readonly strategy: BuiltinStrategy;
}

/** The functions of a built-in kind. For an absent function, {@link toServedKind} adds the behavior of most kinds. */
export interface BuiltinStrategy
  extends Partial<Omit<Strategy, 'decode' | 'setDefaults' | 'validateCreate' | 'validateUpdate'>> {
  /** Makes the changes that a conversion to the internal Go type and back makes on the real server. @default none */
  readonly convert?: (object: JsonObject) => JsonObject;
  readonly setDefaults?: (object: ServerObject) => ServerObject;
  readonly check: (object: ServerObject) => FieldErrors;
  readonly checkUpdate: (object: ServerObject, old: ServerObject) => FieldErrors;
  /** Validates a changed status; present only for kinds with a status. */
  readonly checkStatusUpdate?: (object: ServerObject, old: ServerObject) => FieldErrors;
}

type Where = { readonly subresource: '' | 'status' };

const packageOf = (group: string): string => (group === '' ? 'core' : (group.split('.')[0] ?? group));

const decodeAs =
  ({ group, kind, strategy }: BuiltinKind) =>
  (body: JsonObject, version: ServedVersion): Decoded => {
    try {
      const { object, unknownFields } = readObject(`${packageOf(group)}.${version.name}.${kind}`, body);
      return { object: strategy.convert?.(object) ?? object, unknownFields };
    } catch (error) {
      if (!(error instanceof WrongType)) throw error;
      throw badRequest(`${kind} in version "${version.name}" cannot be handled as a ${kind}: ${error.message}`);
    }
  };

/** Restores the part that a request cannot write: a write of the status keeps the spec, and any other write keeps the status. */
const keepOther = (object: ServerObject, old: ServerObject, { subresource }: Where): ServerObject => {
  const kept = subresource === 'status' ? 'spec' : 'status';
  return withMember(object, kept, old[kept]) as ServerObject;
};

/** Sets the generation of the old object, plus 1 if `isChanged` is true. */
export const countGeneration = (object: ServerObject, old: ServerObject, isChanged: boolean): ServerObject =>
  withGeneration(object, (old.metadata.generation ?? 0) + (isChanged ? 1 : 0));

/** Whether the specs of two objects differ. */
export const hasChangedSpec = (object: ServerObject, old: ServerObject): boolean =>
  !equalJson(object['spec'], old['spec']);

/**
 * Prepares an update of an object with a spec. Restores the part that the request cannot write, and counts changes of the spec
 * in the generation.
 */
export const prepareSpecUpdate: NonNullable<BuiltinStrategy['prepareForUpdate']> = (object, old, where) => {
  const next = keepOther(object, old, where);
  return countGeneration(next, old, hasChangedSpec(next, old));
};

/** Returns the validating plug-ins LimitRanger and ResourceQuota, in the order of the real server. */
const admission = (kind: BuiltinKind): NonNullable<Strategy['admit']> => {
  const [checkLimits, checkQuotas] = [limitAdmission(kind), quotaAdmission(kind)];
  return (request, view) => {
    checkLimits(request, view);
    checkQuotas(request, view);
  };
};

const toStrategy = (kind: BuiltinKind): Strategy => {
  const { convert: _, check, checkUpdate, checkStatusUpdate, setDefaults, ...hooks } = kind.strategy;
  return {
    allowsUnconditionalUpdate: true,
    allowsCreateOnUpdate: false,
    prepareForCreate: (object) => object,
    prepareForUpdate: (object, old, where) => (kind.hasStatus === true ? keepOther(object, old, where) : object),
    resetFields: kind.hasStatus === true ? { '': [['status']], status: [['spec']] } : { '': [], status: [] },
    admit: admission(kind),
    ...hooks,
    decode: decodeAs(kind),
    setDefaults: setDefaults ?? ((object) => object),
    validateCreate: check,
    validateUpdate: (object, old, { subresource }) =>
      subresource === 'status' && checkStatusUpdate ? checkStatusUpdate(object, old) : checkUpdate(object, old),
  };
};

/** Converts a built-in kind to the form that the server serves. */
export const toServedKind = ({ version = 'v1', ...kind }: BuiltinKind): ServedKind => ({
  group: kind.group,
  kind: kind.kind,
  listKind: `${kind.kind}List`,
  plural: kind.plural,
  scope: kind.scope ?? 'Namespaced',
  versions: [
    {
      name: version,
      schema: openApiSchema(`${packageOf(kind.group)}.${version}.${kind.kind}`),
      hasStatus: kind.hasStatus ?? false,
      ...(kind.scale && { scale: kind.scale }),
    },
  ],
  storageVersion: version,
  strategy: toStrategy(kind),
});
