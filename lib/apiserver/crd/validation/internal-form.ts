import { equalJson, type JsonObject } from '#lib/json.ts';
import type { DefinitionSpec, DefinitionVersion } from '../definition.ts';

/**
 * The spec of a CRD in the internal form of the server. If `subresources`, `schema`, `additionalPrinterColumns` or
 * `selectableFields` is the same in all versions, the spec has this member, and the versions do not. The spec has `schema` under
 * the name `validation`. Errors of such a member have the path in the spec.
 */
export interface InternalSpec extends DefinitionSpec {
  /** The name of the first version. */
  readonly version: string;
  readonly validation?: DefinitionVersion['schema'];
  readonly subresources?: DefinitionVersion['subresources'];
  readonly additionalPrinterColumns?: readonly JsonObject[];
  readonly selectableFields?: DefinitionVersion['selectableFields'];
}

const SHARED = ['subresources', 'schema', 'additionalPrinterColumns', 'selectableFields'] as const;

const isShared = (versions: readonly DefinitionVersion[], name: (typeof SHARED)[number]): boolean =>
  versions.every((version) => equalJson(version[name], versions[0]?.[name]));

const without = (version: DefinitionVersion, names: ReadonlySet<string>): DefinitionVersion =>
  Object.fromEntries(Object.entries(version).filter(([name]) => !names.has(name))) as unknown as DefinitionVersion;

/** Converts a spec to its internal form. @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/v1/conversion.go */
export const toInternal = (spec: DefinitionSpec): InternalSpec => {
  const [first] = spec.versions;
  if (first === undefined) return { ...spec, version: '' };
  const shared = new Set<string>(SHARED.filter((name) => isShared(spec.versions, name)));
  const { schema, subresources, additionalPrinterColumns, selectableFields } = first;
  return {
    ...spec,
    version: first.name,
    versions: spec.versions.map((version) => without(version, shared)),
    ...(shared.has('schema') && schema && { validation: schema }),
    ...(shared.has('subresources') && subresources && { subresources }),
    ...(shared.has('additionalPrinterColumns') && additionalPrinterColumns && { additionalPrinterColumns }),
    ...(shared.has('selectableFields') && selectableFields && { selectableFields }),
  };
};
