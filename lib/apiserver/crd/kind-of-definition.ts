import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import type { ScaleSubresource, ServedKind, ServedVersion } from '#lib/apiserver/machinery/served-kind.ts';
import { customResourceStrategy } from './custom-resource-strategy.ts';
import { type DefinitionVersion, specOf } from './definition.ts';
import { typedSchema } from './typed-schema.ts';

const schemaOf = ({ schema }: DefinitionVersion): StructuralSchema =>
  schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const scaleOf = ({ subresources }: DefinitionVersion): ScaleSubresource | undefined => {
  const scale = subresources?.scale;
  if (scale === undefined) return undefined;
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath } = scale;
  return { specReplicasPath, statusReplicasPath, ...(labelSelectorPath !== undefined && { labelSelectorPath }) };
};

const hasStatus = ({ subresources }: DefinitionVersion): boolean => subresources?.status !== undefined;

const servedVersion = (version: DefinitionVersion): ServedVersion => {
  const scale = scaleOf(version);
  return {
    name: version.name,
    schema: typedSchema(schemaOf(version)),
    hasStatus: hasStatus(version),
    ...(scale && { scale }),
  };
};

const selectablePaths = (versions: readonly DefinitionVersion[]): string[] => {
  const paths = versions.flatMap(({ selectableFields = [] }) => selectableFields.map(({ jsonPath }) => jsonPath));
  return [...new Set(paths.map((path) => path.replace(/^\./, '')))].toSorted();
};

/**
 * Returns the kind that a CustomResourceDefinition defines, even if the names of the CRD were refused. The server serves
 * the kind only if `isEstablished` is true.
 *
 * To convert an object to another version, the kind decodes the object again under the name of the other version. This has the
 * same effect as the conversion strategy `None`.
 */
export const kindOfDefinition = (definition: ServerObject): ServedKind => {
  const { group, names, scope, versions } = specOf(definition);
  const storageVersion = versions.find(({ storage }) => storage)?.name ?? '';
  return {
    group,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    versions: versions.filter(({ served }) => served).map(servedVersion),
    storageVersion,
    strategy: customResourceStrategy({
      group,
      kind: names.kind,
      schemas: Object.fromEntries(versions.map((version) => [version.name, schemaOf(version)])),
      withStatus: new Set(versions.filter(hasStatus).map(({ name }) => name)),
      storageVersion,
      selectableFields: selectablePaths(versions),
    }),
  };
};
