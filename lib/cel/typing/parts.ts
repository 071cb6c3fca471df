import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';

const given = (parts: readonly (Expr | undefined)[]): Expr[] => parts.filter((part) => part !== undefined);

/** The direct subexpressions of an expression. */
export const partsOf = ({ exprKind }: Expr): Expr[] => {
  if (exprKind.case === 'callExpr') return given([exprKind.value.target, ...exprKind.value.args]);
  if (exprKind.case === 'selectExpr') return given([exprKind.value.operand]);
  if (exprKind.case === 'listExpr') return exprKind.value.elements;
  if (exprKind.case === 'structExpr') {
    const { entries } = exprKind.value;
    return given(
      entries.flatMap(({ keyKind, value }) => [keyKind.case === 'mapKey' ? keyKind.value : undefined, value]),
    );
  }
  if (exprKind.case !== 'comprehensionExpr') return [];
  const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value;
  return given([iterRange, accuInit, loopCondition, loopStep, result]);
};
