import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { InvalidDefinitionError, type Issue } from '#lib/errors.ts';
import { type CompileOptions, type CustomResourceDefinition, compileCrd } from '#lib/kind/crd.ts';
import { lintKind } from '#lib/kind/lint/index.ts';
import { memberIssues } from '#lib/kind/rules/members.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { consistencyIssues } from './definition-check.ts';

const isDefinition = (kind: KindShape | AnyKindDefinition): kind is AnyKindDefinition => 'owns' in kind;

const conventionIssues = (kind: KindShape | AnyKindDefinition): readonly Issue[] => [
  ...lintKind(kind),
  ...(isDefinition(kind) ? consistencyIssues(kind) : []),
];

const extensionIssue: Issue = {
  path: 'extension',
  rule: 'no-definition',
  message: 'has no CustomResourceDefinition: it extends a kind that exists already',
  fix: 'leave it out here; test its function with observationOfParent()',
};

/** Compiles a kind, or returns the issues of the compiler, so that the caller can report them together with other issues. */
const compiledOr = (kind: KindShape, options: CompileOptions): CustomResourceDefinition | readonly Issue[] => {
  try {
    return compileCrd(kind, options);
  } catch (error) {
    if (error instanceof InvalidDefinitionError) return error.issues;
    throw error;
  }
};

/**
 * Compiles a kind to its CustomResourceDefinition, and reports the issues of the kind together: broken rules of the compiler,
 * broken API conventions, and mistakes in the kinds that the definition owns and reads.
 *
 * Caveats: this function does not compile CEL rules or compute their cost. `Operator` and the API server of `dev` do both. An
 * operator in a pod therefore does not need to load the CEL compiler.
 *
 * @param kind - a definition, or only the shape of a definition
 * @returns the CustomResourceDefinition for a cluster
 * @throws {InvalidDefinitionError} with all issues; always for an extension, which has no CustomResourceDefinition
 * @example
 * const crd = compileCrd(podSet);
 * crd.metadata.name; // 'podsets.app.example.com'
 */
export const compileDefinition = (
  kind: KindShape | AnyKindDefinition,
  options: CompileOptions = {},
): CustomResourceDefinition => {
  const incomplete = memberIssues(kind);
  if (incomplete.length > 0) throw new InvalidDefinitionError(kind.kind, incomplete);
  if ('extension' in kind && kind.extension !== undefined)
    throw new InvalidDefinitionError(kind.kind, [extensionIssue, ...consistencyIssues(kind)]);
  const compiled = compiledOr(kind, options);
  const issues = [...('metadata' in compiled ? [] : compiled), ...conventionIssues(kind)];
  if (issues.length > 0 || !('metadata' in compiled)) throw new InvalidDefinitionError(kind.kind, issues);
  return compiled;
};
