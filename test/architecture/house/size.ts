import { type Node, parseSync, Visitor } from 'oxc-parser';
import { type Check, findingAt, lineOf } from './finding.ts';

const MAX_FILE_LINES = 300;
const MAX_FUNCTION_LINES = 60;

/** Files that are too long to be read in one go. */
export const longFile: Check = (file) => {
  const lines = file.text.replace(/\n$/, '').split('\n').length;
  return lines > MAX_FILE_LINES ? [findingAt(file, 0, `${lines} lines, at most ${MAX_FILE_LINES}`)] : [];
};

/** Functions, methods and arrow functions that are too long; lines are counted from the first to the last, comments too. */
export const longFunctions: Check = (file) => {
  const found: string[] = [];
  const judge = ({ start, end }: Node): void => {
    const lines = lineOf(file.text, end) - lineOf(file.text, start) + 1;
    if (lines <= MAX_FUNCTION_LINES) return;
    found.push(findingAt(file, start, `function of ${lines} lines, at most ${MAX_FUNCTION_LINES}`));
  };
  const visitor = new Visitor({
    FunctionDeclaration: judge,
    FunctionExpression: judge,
    ArrowFunctionExpression: judge,
  });
  visitor.visit(parseSync(file.path, file.text).program);
  return found;
};
