import { Visitor } from '@swc/core/Visitor.js';

type Statement = Parameters<Visitor['visitStatement']>[0];
type Declarators = Parameters<Visitor['visitVariableDeclarators']>[0];

interface UsingDeclaration {
  readonly type: 'UsingDeclaration';
  decls: Declarators;
}

const isUsing = (statement: { readonly type: string }): statement is UsingDeclaration =>
  statement.type === 'UsingDeclaration';

const visitStatement = Visitor.prototype.visitStatement;

/**
 * swc parses `using`, but the visitor that dependency-cruiser walks the tree with throws at it: "Unknown statement type".
 * Importing this file teaches it. To be deleted when a check of a file with `using` passes without.
 */
Visitor.prototype.visitStatement = function visit(this: Visitor, statement: Statement): Statement {
  if (!isUsing(statement)) return visitStatement.call(this, statement);
  statement.decls = this.visitVariableDeclarators(statement.decls);
  return statement;
};
