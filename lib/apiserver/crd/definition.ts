import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';

interface ScalePaths {
  readonly specReplicasPath?: string;
  readonly statusReplicasPath?: string;
  readonly labelSelectorPath?: string;
}

/** One version in a CustomResourceDefinition. */
export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
  readonly subresources?: { readonly status?: JsonObject; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly JsonObject[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** The names in a CustomResourceDefinition. */
export interface DefinitionNames {
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

/** The spec of a CustomResourceDefinition, after decoding. */
export interface DefinitionSpec {
  readonly group: string;
  readonly names: DefinitionNames;
  readonly scope: string;
  readonly versions: readonly DefinitionVersion[];
  readonly conversion?: { readonly strategy?: string; readonly webhook?: JsonObject };
  readonly preserveUnknownFields?: boolean;
}

/** A condition of a CustomResourceDefinition. */
export interface DefinitionCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The status of a CustomResourceDefinition, after decoding. */
export interface DefinitionStatus {
  readonly acceptedNames?: Partial<DefinitionNames>;
  readonly conditions?: readonly DefinitionCondition[] | null;
  readonly storedVersions?: readonly string[] | null;
}

const none: DefinitionSpec = { group: '', names: { plural: '', kind: '' }, scope: '', versions: [] };

/** Returns the spec of a decoded CRD; missing required members are empty. */
export const specOf = (definition: JsonObject): DefinitionSpec => {
  const spec = definition['spec'];
  if (!isPlainObject(spec)) return none;
  const names = isPlainObject(spec['names']) ? spec['names'] : {};
  // Decoding has checked the types of all members.
  return { ...none, ...spec, names: { ...none.names, ...names }, versions: spec['versions'] ?? [] } as DefinitionSpec;
};

/** Returns the status of a decoded CRD; the empty object when absent. */
export const definitionStatus = (definition: JsonObject): DefinitionStatus => {
  const status = memberOf(definition, 'status');
  return isPlainObject(status) ? status : {};
};

/** Whether a condition of a CRD is true. */
export const isConditionTrue = (definition: ServerObject, type: string): boolean =>
  (definitionStatus(definition).conditions ?? []).some(
    (condition) => condition.type === type && condition.status === 'True',
  );
