import { equalJson, type JsonObject } from '#lib/json.ts';
import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import { withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { Decoded, ServedKind, ServedVersion, Strategy } from '#lib/apiserver/machinery/served-kind.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';
import type { FieldErrors } from '#lib/apiserver/machinery/validation/field.ts';
import { readObject } from './codec.ts';
import { schemaOf } from './openapi.ts';
import { quotaAdmission } from './quota-admission.ts';
import { WrongType } from './wrong-type.ts';

/** What a built-in kind is named, and what is special about it. */
export interface BuiltinKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly hasStatus?: boolean;
  readonly scale?: NonNullable<ServedVersion['scale']>;
  readonly strategy: BuiltinStrategy;
}

/** The hooks of a kind. Those that are left out do what most kinds do. */
export interface BuiltinStrategy
  extends Partial<Omit<Strategy, 'decode' | 'setDefaults' | 'validateCreate' | 'validateUpdate'>> {
  /** What Go's conversion to the internal type and back does. @default nothing */
  readonly convert?: (object: JsonObject) => JsonObject;
  readonly setDefaults?: (object: ServerObject) => ServerObject;
  readonly check: (object: ServerObject) => FieldErrors;
  readonly checkUpdate: (object: ServerObject, old: ServerObject) => FieldErrors;
  /** Kinds with a status only. */
  readonly checkStatusUpdate?: (object: ServerObject, old: ServerObject) => FieldErrors;
}

type Where = { readonly subresource: '' | 'status' };

/** Short names of the packages of Go, for types. */
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

/** Keeps the status, or all but it, as it was. */
const keepOther = (object: ServerObject, old: ServerObject, { subresource }: Where): ServerObject => {
  const kept = subresource === 'status' ? 'spec' : 'status';
  return withMember(object, kept, old[kept]) as ServerObject;
};

/** For kinds whose generation counts changes of the spec, and of nothing else. */
export const countGeneration = (object: ServerObject, old: ServerObject, isChanged: boolean): ServerObject =>
  withGeneration(object, (old.metadata.generation ?? 0) + (isChanged ? 1 : 0));

/** Whether the specs of two objects differ. */
export const hasChangedSpec = (object: ServerObject, old: ServerObject): boolean =>
  !equalJson(object['spec'], old['spec']);

const toStrategy = (kind: BuiltinKind): Strategy => {
  const { convert: _, check, checkUpdate, checkStatusUpdate, setDefaults, ...hooks } = kind.strategy;
  return {
    allowsUnconditionalUpdate: true,
    allowsCreateOnUpdate: false,
    prepareForCreate: (object) => object,
    prepareForUpdate: (object, old, where) => (kind.hasStatus === true ? keepOther(object, old, where) : object),
    resetFields: (subresource) => {
      if (kind.hasStatus !== true) return [];
      return subresource === 'status' ? [['spec']] : [['status']];
    },
    admit: quotaAdmission(kind),
    ...hooks,
    decode: decodeAs(kind),
    setDefaults: setDefaults ?? ((object) => object),
    validateCreate: check,
    validateUpdate: (object, old, { subresource }) =>
      subresource === 'status' && checkStatusUpdate ? checkStatusUpdate(object, old) : checkUpdate(object, old),
  };
};

/** A built-in kind as the server serves it. */
export const toServedKind = (kind: BuiltinKind): ServedKind => ({
  group: kind.group,
  kind: kind.kind,
  listKind: `${kind.kind}List`,
  plural: kind.plural,
  scope: kind.scope ?? 'Namespaced',
  versions: [
    {
      name: 'v1',
      schema: schemaOf(`${packageOf(kind.group)}.v1.${kind.kind}`),
      hasStatus: kind.hasStatus ?? false,
      ...(kind.scale && { scale: kind.scale }),
    },
  ],
  storageVersion: 'v1',
  strategy: toStrategy(kind),
});
