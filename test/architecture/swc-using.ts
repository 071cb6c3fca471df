import { Visitor } from '@swc/core/Visitor.js';

type Statement = Parameters<Visitor['visitStatement']>[0];
type Declarators = Parameters<Visitor['visitVariableDeclarators']>[0];

interface UsingDeclaration {
  readonly type: 'UsingDeclaration';
  decls: Declarators;
}

/** The types of swc do not include the node either. */
const isUsing = (node: { readonly type: string }): node is UsingDeclaration => node.type === 'UsingDeclaration';

/**
 * swc parses `using`, but the visitor of dependency-cruiser throws at it: "Unknown statement type". Delete this function when
 * the check of a file with `using` passes without it.
 */
export const teachUsing = (): void => {
  // oxlint-disable-next-line typescript/unbound-method -- called with its `this` below
  const { visitStatement } = Visitor.prototype;
  Visitor.prototype.visitStatement = function visit(this: Visitor, statement: Statement): Statement {
    const node: { readonly type: string } = statement;
    if (!isUsing(node)) return visitStatement.call(this, statement);
    node.decls = this.visitVariableDeclarators(node.decls);
    return statement;
  };
};
