import { type Comment, type Directive, type ParseResult, parseSync, type Statement } from 'oxc-parser';
import { type Check, findingAt, type TextFile } from './finding.ts';

/** Comments with text that begin with two asterisks, as TSDoc's do. */
const isDoc = ({ type, value }: Comment): boolean => type === 'Block' && /^\*[\s*]*[^\s*]/.test(value);

/** Only blanks and other comments may be between a doc comment and its subject. */
const isDocumented = (text: string, comments: readonly Comment[], start: number): boolean => {
  let at = start;
  for (const comment of comments.filter(({ end }) => end <= start).toReversed()) {
    if (text.slice(comment.end, at).trim() !== '') return false;
    if (isDoc(comment)) return true;
    at = comment.start;
  }
  return false;
};

/** The declarations of one statement, and whether the statement exports them. */
interface Declared {
  readonly names: readonly string[];
  readonly start: number;
  readonly exported: boolean;
}

const namesOf = (statement: Statement | Directive): readonly string[] => {
  if (statement.type === 'VariableDeclaration') {
    return statement.declarations.map(({ id }) => (id.type === 'Identifier' ? id.name : '{…}'));
  }
  const id = 'id' in statement ? statement.id : null;
  return id?.type === 'Identifier' ? [id.name] : [];
};

const declaredBy = (statement: Statement | Directive): readonly Declared[] => {
  const { start } = statement;
  if (statement.type === 'ExportDefaultDeclaration') return [{ names: ['default'], start, exported: true }];
  if (statement.type !== 'ExportNamedDeclaration') return [{ names: namesOf(statement), start, exported: false }];
  if (statement.declaration === null) return [];
  return [{ names: namesOf(statement.declaration), start, exported: true }];
};

/** Local names in `export { a, b }`; names of `export … from` are documented at their origin. */
const listedBy = (statement: Statement | Directive): readonly string[] => {
  if (statement.type !== 'ExportNamedDeclaration' || statement.source !== null) return [];
  return statement.specifiers.flatMap(({ local }) => (local.type === 'Identifier' ? local.name : []));
};

const declarationsOf = ({ program }: ParseResult): ReadonlyMap<string, readonly Declared[]> => {
  const listed = new Set(program.body.flatMap(listedBy));
  const all = program.body
    .flatMap(declaredBy)
    .flatMap(({ names, start, exported }) =>
      names.map((name) => ({ names: [name], start, exported: exported || listed.has(name) })),
    );
  return Map.groupBy(all, ({ names }) => names.join());
};

const missingIn = (file: TextFile, parsed: ParseResult): readonly string[] =>
  [...declarationsOf(parsed)].flatMap(([name, declarations]) => {
    const [first] = declarations;
    if (first === undefined || !declarations.some(({ exported }) => exported)) return [];
    if (declarations.some(({ start }) => isDocumented(file.text, parsed.comments, start))) return [];
    return [findingAt(file, first.start, `export "${name}" without a doc comment`)];
  });

/**
 * Exports without a doc comment. Overloads, and types and values of the same name, share one; re-exports need none.
 */
export const undocumentedExports: Check = (file) => missingIn(file, parseSync(file.path, file.text));
