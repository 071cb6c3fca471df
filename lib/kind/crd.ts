import { InvalidDefinitionError } from '#lib/errors.ts';
import { type JsonSchema, readSchema } from './json-schema.ts';
import { exceptionAnnotations } from './lint/exceptions.ts';
import { namesOf } from './names.ts';
import { rootSchema } from './root-schema.ts';
import { findIssues } from './rules/index.ts';
import type { KindShape, PrinterColumn } from './shape.ts';

/** The names under which the API server serves a kind. */
export interface CrdNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames?: readonly string[];
}

/** One version of a kind. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: { readonly openAPIV3Schema: JsonSchema };
  readonly subresources: {
    readonly status: Readonly<Record<string, never>>;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
}

/** A CustomResourceDefinition as this library writes it: plain JSON. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly group: string;
    readonly names: CrdNames;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly versions: readonly CrdVersion[];
  };
}

const crdNames = (shape: KindShape): CrdNames => {
  const { plural, singular, kind, listKind, shortNames } = namesOf(shape);
  return { plural, singular, kind, listKind, ...(shortNames.length === 0 ? {} : { shortNames }) };
};

const subresources = ({ scale }: KindShape): CrdVersion['subresources'] => {
  if (scale === undefined) return { status: {} };
  const { spec: specReplicasPath, status: statusReplicasPath, selector } = scale;
  const labelSelector = selector === undefined ? {} : { labelSelectorPath: selector };
  return { status: {}, scale: { specReplicasPath, statusReplicasPath, ...labelSelector } };
};

const printerColumn = ({ name, type, format, description, jsonPath, priority }: PrinterColumn): PrinterColumn => ({
  name,
  type,
  ...(format !== undefined && { format }),
  ...(description !== undefined && { description }),
  jsonPath,
  ...(priority !== undefined && { priority }),
});

const version = (shape: KindShape, openAPIV3Schema: JsonSchema): CrdVersion => {
  const columns = (shape.columns ?? []).map(printerColumn);
  return {
    name: shape.version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema },
    subresources: subresources(shape),
    ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
  };
};

/**
 * Compiles the shape of a kind to its CustomResourceDefinition.
 *
 * `status.conditions` and `status.observedGeneration` are added; nothing in the status is required. The result is a
 * fresh plain object whose keys always stand in the same order.
 *
 * @param shape - the kind
 * @throws {InvalidDefinitionError} with all issues when the API server would refuse the definition, or when it would
 * lose data or mislead its users. What a CEL rule means and costs is not checked here, nor conventions: see {@link lintKind}.
 * @example
 * const crd = compileCrd({ group: 'app.example.com', version: 'v1', kind: 'PodSet', spec: s.object({}), status: s.object({}) });
 * crd.metadata.name; // 'podsets.app.example.com'
 */
export const compileCrd = (shape: KindShape): CustomResourceDefinition => {
  const rawRoot = rootSchema(shape);
  const root = readSchema(rawRoot);
  const issues = findIssues({ shape, root }, rawRoot);
  if (issues.length > 0) throw new InvalidDefinitionError(shape.kind, issues);
  const annotations = exceptionAnnotations(shape.lintExceptions);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: namesOf(shape).crdName, ...(annotations && { annotations }) },
    spec: {
      group: shape.group,
      names: crdNames(shape),
      scope: shape.scope ?? 'Namespaced',
      versions: [version(shape, root)],
    },
  };
};
