import { parseSync } from 'oxc-parser';
import { type Check, findingAt } from './finding.ts';

/** The lines of a doc comment, without its asterisks. */
const linesOf = (comment: string): readonly string[] => comment.split('\n').map((line) => line.replace(/^\s*\* ?/, ''));

const isTag = (line: string): boolean => /^@[a-z]/i.test(line);

/** The text from every `@example` to the next tag or the end of the comment. */
const blocksOf = (comment: string): readonly string[] => {
  const lines = linesOf(comment);
  const starts = lines.flatMap((line, index) => (/^@example\b/.test(line) ? index : []));
  return starts.map((start) => {
    const next = lines.findIndex((line, index) => index > start && isTag(line));
    return lines.slice(start + 1, next === -1 ? undefined : next).join('\n');
  });
};

/** The code of a block: with a fence, only the text inside of the fence. */
const codeOf = (block: string): string => /```(?:ts|typescript)?\n([\s\S]*?)```/.exec(block)?.[1] ?? block;

/** The code of every `@example` in a file, with the offset of its comment. */
export const examplesIn = (path: string, text: string): readonly { readonly code: string; readonly offset: number }[] =>
  parseSync(path, text)
    .comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
    .flatMap(({ value, start }) => blocksOf(value).map((block) => ({ code: codeOf(block), offset: start })));

/** Examples that are empty, or not TypeScript. */
export const brokenExamples: Check = (file) =>
  examplesIn(file.path, file.text).flatMap(({ code, offset }) => {
    if (code.trim() === '') return [findingAt(file, offset, 'empty @example')];
    const [error] = parseSync('example.ts', code).errors;
    return error === undefined ? [] : [findingAt(file, offset, `@example is not TypeScript: ${error.message}`)];
  });
