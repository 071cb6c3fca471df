import { App, Chart } from 'cdk8s';
import { Operator, type OperatorProps } from '#constructs/operator/operator.ts';
import { BreakingChangeError, InvalidDefinitionError, InvalidOperatorError, type Issue } from '#lib/errors.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { lintKind } from '#lib/kind/lint/index.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { note } from '#test/unit/bad-input/operators.ts';

const issuesOf = (act: () => unknown): readonly Issue[] => {
  try {
    act();
    return [];
  } catch (error) {
    const isDefinition = error instanceof InvalidDefinitionError || error instanceof BreakingChangeError;
    if (isDefinition || error instanceof InvalidOperatorError) return error.issues;
    throw error;
  }
};

/** All issues of a definition alone. */
export const definitionIssues = (shape: KindShape): readonly Issue[] => [
  ...issuesOf(() => compileCrd(shape)),
  ...lintKind(shape),
];

/** All issues of an operator. */
export const operatorIssues = (props: Partial<OperatorProps>): readonly Issue[] =>
  issuesOf(() => new Operator(new Chart(new App(), 'app'), 'operator', { kinds: [note], image: 'a:1', ...props }));
