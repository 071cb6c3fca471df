import { type Command, Help, type HelpConfiguration } from 'commander';
import type { CliContext } from './context.ts';
import { wrapped } from './output.ts';

/** A command line, and a description of its effect. */
export type Example = readonly [line: string, what: string];

/** Minimum width of a description beside its term. If there is less space, the description is below the term. */
const LEAST = 30;

const ITEM = '  ';
const BELOW = '      ';

const indented = (text: string, columns: number, indent: string): string =>
  wrapped(text, columns, indent).replace(/\n$/, '');

const USAGE = 'Usage: '.length;

/** The layout of the help. No line is wider than the terminal, except for words that cannot be broken. */
export const helpLayout = (context: Pick<CliContext, 'color' | 'columns'>): HelpConfiguration => ({
  minWidthToWrap: 1,
  // commander removes the outer brackets of `<kind>/<name>`.
  argumentTerm: (argument) => (argument.name().includes('>') ? `<${argument.name()}>` : argument.name()),
  styleTitle: (text) => context.color('bold', text),
  styleUsage: (text) => indented(text, context.columns, ' '.repeat(USAGE)).trimStart(),
  formatItem(term, termWidth, description, helper) {
    const { columns } = context;
    if (columns - termWidth - 2 * ITEM.length >= LEAST)
      return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
    const head = indented(term, columns, ITEM);
    return description === '' ? head : `${head}\n${indented(description, columns, BELOW)}`;
  },
});

/**
 * Breaks a command line between words into lines of at most this width. A longer word gets its own line. Each line except the
 * last line ends with a backslash.
 */
const continued = (line: string, columns: number): string =>
  wrapped(line, columns - `${ITEM} \\`.length, ITEM)
    .trimEnd()
    .split('\n')
    .map((part, at) => (at === 0 ? part : `${ITEM}${part}`))
    .join(' \\\n');

/**
 * Adds examples to the help of a command.
 *
 * @param examples - examples without the program name: `['tree podset/web', 'a PodSet and its pods']`
 */
export const withExamples = (command: Command, examples: readonly Example[]): Command =>
  command.addHelpText('after', ({ command: shown }) => {
    let root = shown;
    while (root.parent !== null) root = root.parent;
    const columns = shown.configureOutput().getOutHelpWidth?.() ?? 80;
    const lines = examples.map(
      ([line, what]) => `${indented(`# ${what}`, columns, ITEM)}\n${continued(`${root.name()} ${line}`, columns)}`,
    );
    return `\nExamples:\n${lines.join('\n\n')}\n`;
  });
