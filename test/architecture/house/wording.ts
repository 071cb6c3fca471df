import { parseSync, Visitor } from 'oxc-parser';
import { type Check, findingAt } from './finding.ts';

const matches =
  (pattern: RegExp, what: string): Check =>
  (file) =>
    [...file.text.matchAll(pattern)].map(({ index, 0: text }) => findingAt(file, index, `${what} "${text}"`));

/** Notes of work that is not done; the brackets keep this file from finding itself. */
export const openNotes: Check = matches(/\b(?:TO[D]O|FIX[M]E)\b/g, 'open note');

/** Paths of a particular machine; within a longer path or an address these words mean something else. */
export const machinePaths: Check = matches(/(?<![\w.~-])\/(?:wor[k]|roo[t]|hom[e])\/[\w.-]*/g, 'path of a machine');

const VAGUE = /^(?:utils?|utilities|helpers?|common)$/i;

/** Finds files and folders with a vague name. A vague word counts only as the whole name, not as a part of it. */
export const vagueName: Check = ({ path }) => {
  const vague = path.split('/').find((part) => VAGUE.test(part.replace(/^_/, '').replace(/\..*$/, '')));
  return vague === undefined ? [] : [`${path}: "${vague}" does not say what is inside`];
};

/** Words for persons: comments name objects and what they do. {@link OPENING}: openings that hide the subject. */
const PERSON = /\b(?:who|whom|whoever|nobody|somebody|told)\b/gi;
const OPENING = /(?<=^[*\s]*|[.!?:]\s+|\n\s*\*\s+)(?:Of|Who|Whose|So many)\b/g;

/** Finds comments with words for persons, and sentences that begin without a subject. */
export const headlessComments: Check = (file) =>
  parseSync(file.path, file.text).comments.flatMap(({ value, start }) =>
    [...value.matchAll(PERSON), ...value.matchAll(OPENING)].map(({ index, 0: word }) =>
      findingAt(file, start + 2 + index, `"${word}" in a comment`),
    ),
  );

/** Finds words for persons and headless openings in messages, which are texts of several words. */
export const headlessMessages: Check = (file) => {
  const found: string[] = [];
  const judge = (start: number, text: string): void => {
    const words = text.includes(' ') ? [...text.matchAll(PERSON), ...text.matchAll(OPENING)] : [];
    found.push(...words.map(({ 0: word }) => findingAt(file, start, `"${word}" in a message`)));
  };
  const visitor = new Visitor({
    Literal: ({ start, value }) => judge(start, typeof value === 'string' ? value : ''),
    TemplateElement: ({ start, value }) => judge(start, value.raw),
  });
  visitor.visit(parseSync(file.path, file.text).program);
  return found;
};

/** Sentences of Markdown also begin after the mark of a list, of a quotation or of a cell, and in bold letters. */
const MARKDOWN_OPENING = /(?<=(?:^|\n)[\s>*+|-]*(?:\d+\.\s+)?|[.!?:]\s+|\|\s*)(?:\*\*)?(?:Of|Who|Whose|So many)\b/g;

/** Replaces code in Markdown by blanks, which keep the offsets of the text: words in code are those of programs. */
const withoutCode = (markdown: string): string =>
  markdown.replaceAll(/^\s*(`{3,})[\s\S]*?^\s*\1|(`+)[^`](?:(?!\n\n)[\s\S])*?\2/gm, (code) =>
    code.replaceAll(/[^\n]/g, ' '),
  );

/** Finds words for persons and headless openings in Markdown, outside of code. */
export const headlessMarkdown: Check = (file) => {
  const text = withoutCode(file.text);
  return [...text.matchAll(PERSON), ...text.matchAll(MARKDOWN_OPENING)].map(({ index, 0: word }) =>
    findingAt(file, index, `"${word}" in a page`),
  );
};
