import { InvalidDefinitionError, type Issue } from '#lib/errors.ts';
import { type JsonSchema, readSchema } from './json-schema/json-schema.ts';
import { exceptionAnnotations } from './lint/exceptions.ts';
import { namesOf } from './names.ts';
import { findIssues } from './rules/index.ts';
import { memberIssues } from './rules/members.ts';
import { rootSchema } from './schema/root-schema.ts';
import type { KindShape, PrinterColumn } from './shape.ts';
import { inVersion, shapeAt, versionsOf } from './versions/chain.ts';
import { findVersionsIssues } from './versions/rules.ts';
import {
  type ConversionService,
  type CrdConversion,
  needsWebhook,
  webhookAt,
  webhookIssues,
} from './versions/webhook.ts';

/** The names of a kind in the API server. */
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
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
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

/** A CustomResourceDefinition in the form that this library writes: plain JSON. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly group: string;
    readonly names: CrdNames;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly versions: readonly CrdVersion[];
    /** The conversion settings; absent if no conversion between versions has functions. */
    readonly conversion?: CrdConversion;
  };
}

/** Options of {@link compileCrd}. */
export interface CompileOptions {
  /** The address of the conversion webhook. Only kinds with conversion functions have a webhook. */
  readonly conversion?: ConversionService;
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

const deprecation = ({ deprecated = false }: KindShape): Pick<CrdVersion, 'deprecated' | 'deprecationWarning'> => {
  if (deprecated === false) return {};
  return { deprecated: true, ...(typeof deprecated === 'string' && { deprecationWarning: deprecated }) };
};

const version = (shape: KindShape, storage: boolean, openAPIV3Schema: JsonSchema): CrdVersion => {
  const columns = (shape.columns ?? []).map(printerColumn);
  return {
    name: shape.version,
    served: shape.served ?? true,
    storage,
    ...deprecation(shape),
    schema: { openAPIV3Schema },
    subresources: subresources(shape),
    ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
  };
};

interface Compiled {
  readonly version: CrdVersion;
  readonly issues: readonly Issue[];
}

/** A version and its issues. If the kind has several versions, each issue names its version. */
const compileVersion = (shape: KindShape, whole: KindShape): Compiled => {
  const rawRoot = rootSchema(shape);
  const root = readSchema(rawRoot);
  const found = findIssues({ shape, root }, rawRoot);
  const issues = whole.versions ? found.map((issue) => inVersion(shape.version, issue)) : found;
  return { version: version(shape, shape.version === whole.version, root), issues };
};

/**
 * Compiles the shape of a kind to its CustomResourceDefinition.
 *
 * The function adds `status.conditions` and `status.observedGeneration`. The CRD requires no direct field of the status. The
 * result is a new plain object with its keys in a fixed order.
 *
 * @param shape - the kind
 * @param options - the address of the conversion webhook, if the versions of the kind need a webhook
 * @throws {InvalidDefinitionError} with all issues of a definition that the API server would refuse, or that would lose data or
 *   mislead users. This function does not check the meaning or the cost of CEL rules, or API conventions: see {@link lintKind}.
 * @example
 * const crd = compileCrd({ group: 'app.example.com', version: 'v1', kind: 'PodSet', spec: s.object({}), status: s.object({}) });
 * crd.metadata.name; // 'podsets.app.example.com'
 */
export const compileCrd = (shape: KindShape, options: CompileOptions = {}): CustomResourceDefinition => {
  const incomplete = memberIssues(shape);
  if (incomplete.length > 0) throw new InvalidDefinitionError(shape.kind, incomplete);
  const compiled = versionsOf(shape).map((each) => compileVersion(shapeAt(shape, each), shape));
  const issues = [
    ...compiled.flatMap((each) => each.issues),
    ...findVersionsIssues(shape),
    ...webhookIssues(shape, options.conversion),
  ];
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
      versions: compiled.map((each) => each.version),
      ...(needsWebhook(shape) && options.conversion && { conversion: webhookAt(options.conversion) }),
    },
  };
};
