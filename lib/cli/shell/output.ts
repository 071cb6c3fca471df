import { stripVTControlCharacters } from 'node:util';
import type { CliContext } from './context.ts';
import type { Format } from './options.ts';

/** A table in the style of kubectl. */
export interface Table {
  /** Titles in capital letters, such as `NAME`. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /**
   * Columns that are left out, in this order, while the table is too wide even with its last column cut to 20 characters.
   *
   * @default none
   */
  readonly dispensable?: readonly string[];
}

/** Options for {@link printResult}. */
export interface PrintOptions {
  readonly format: Format;
  /** Renders the text for users. @default the table; without a table, JSON */
  readonly text?: () => string;
  /** Renders the table. @default the text; without a text, JSON */
  readonly table?: () => Table;
  /** Renders a comment on a pull request. Required for commands with this format. */
  readonly markdown?: () => string;
}

const GAP = 3;
const NARROWEST = 6;

/** Escapes control characters, so that names and messages in objects cannot control the terminal. Tab and line feed stay. */
export const printable = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (character) =>
    character === '\t' || character === '\n'
      ? character
      : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );

/** Cuts a text to the width and marks the cut with an ellipsis. */
export const clipped = (text: string, width: number): string => {
  const letters = Array.from(text);
  return letters.length <= width ? text : `${letters.slice(0, Math.max(width - 1, 0)).join('')}…`;
};

const lengthOf = (text: string): number => Array.from(text).length;

/** The last column is cut to this width before any other column is cut or left out. */
const LAST = 20;

/**
 * Computes smaller widths of columns. The last column is cut first, because it contains sentences. The other columns contain
 * names. Then the widest column is cut, until the line fits or all columns have their minimum width.
 */
const fitted = (widths: readonly number[], columns: number): readonly number[] => {
  const fit = [...widths];
  const total = (): number => fit.reduce((sum, width) => sum + width, GAP * (fit.length - 1));
  const last = fit.at(-1) ?? 0;
  fit[fit.length - 1] = Math.min(last, Math.max(LAST, last - (total() - columns)));
  while (total() > columns) {
    const widest = fit.indexOf(Math.max(...fit));
    const width = fit[widest] ?? 0;
    if (width <= NARROWEST) break;
    fit[widest] = width - 1;
  }
  return fit;
};

const without = (table: Table, column: string): Table => {
  const gone = table.columns.indexOf(column);
  const kept = (line: readonly string[]): readonly string[] => line.filter((_, at) => at !== gone);
  return { ...table, columns: kept(table.columns), rows: table.rows.map(kept) };
};

const widthsOf = ({ columns, rows }: Table): readonly number[] =>
  columns.map((column, at) => Math.max(lengthOf(column), ...rows.map((row) => lengthOf(row[at] ?? ''))));

const narrowed = (table: Table, columns: number): Table => {
  const [column, ...others] = table.dispensable ?? [];
  if (column === undefined) return table;
  const widths = widthsOf(table);
  const [last = 0, ...before] = widths.toReversed();
  const least = before.reduce((sum, width) => sum + width + GAP, Math.min(last, LAST));
  return least <= columns ? table : narrowed({ ...without(table, column), dispensable: others }, columns);
};

/**
 * Renders a table. Without a maximum width, each column is as wide as its widest cell.
 *
 * @param table - columns and rows
 * @param columns - maximum width of a line. Columns are left out and cells are cut to fit, but no column is cut to less than 6
 * characters. @default no limit
 */
export const renderTable = (table: Table, columns?: number): string => {
  const clean = { ...table, rows: table.rows.map((row) => row.map((cell) => printable(cell).replaceAll('\n', ' '))) };
  const shown = columns === undefined ? clean : narrowed(clean, columns);
  const lines = [shown.columns, ...shown.rows];
  const natural = widthsOf(shown);
  const widths = columns === undefined ? natural : fitted(natural, columns);
  const render = (line: readonly string[]): string =>
    widths
      .map((width, at) => {
        const cell = clipped(line[at] ?? '', width);
        return cell + ' '.repeat(width - lengthOf(cell) + GAP);
      })
      .join('')
      .trimEnd();
  return lines.map((line) => `${render(line)}\n`).join('');
};

/**
 * Wraps a text between words. A word longer than a line gets its own line.
 *
 * @param text - one paragraph
 * @param columns - the width of a line
 * @param indent - the text at the beginning of each line
 */
export const wrapped = (text: string, columns: number, indent = ''): string => {
  const lines: string[] = [];
  let line = '';
  for (const word of printable(text).split(/\s+/)) {
    if (line !== '' && lengthOf(`${indent}${line} ${word}`) > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((each) => `${indent}${each}\n`).join('');
};

const lookOf = (text: string): number => lengthOf(stripVTControlCharacters(text));

/** Wraps a line only if it is too long, so that the spaces between aligned columns stay. */
const broken = (line: string, columns: number): string => {
  if (lookOf(line) <= columns) return line;
  const indent = ' '.repeat(Math.min((/^ */.exec(line)?.[0].length ?? 0) + 2, columns / 2));
  const lines: string[] = [];
  let now = '';
  for (const [, gap = '', word = ''] of line.matchAll(/( *)([^ ]+)/g)) {
    if (now.trim() !== '' && lookOf(now + gap + word) > columns) {
      lines.push(now);
      now = indent + word;
    } else now += gap + word;
  }
  return [...lines, now].join('\n');
};

/**
 * Wraps each line that is too long, between words. Its continuation is indented by two more spaces than its beginning, but by at
 * most half of the width. A word longer than a line gets its own line.
 *
 * @param text - lines, with or without colors
 * @param columns - the width of a line
 */
export const fittedText = (text: string, columns: number): string =>
  text
    .split('\n')
    .map((line) => broken(line, columns))
    .join('\n');

const asTable = (context: Pick<CliContext, 'isTerminal' | 'columns'>, table: Table): string =>
  renderTable(table, context.isTerminal ? context.columns : undefined);

/**
 * Prints the result of a command on `stdout` in the format of `--output`.
 *
 * @param context - the process
 * @param value - plain data, for json and yaml
 * @param options - the format, and functions that render the other formats
 */
export const printResult = async (context: CliContext, value: unknown, options: PrintOptions): Promise<void> => {
  const { format, text, table, markdown } = options;
  const write = (printed: string): void => void context.stdout.write(printed.endsWith('\n') ? printed : `${printed}\n`);
  if (format === 'json') return write(JSON.stringify(value, null, 2));
  if (format === 'yaml') {
    const { stringify } = await import('yaml');
    return write(stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 }));
  }
  if (format === 'markdown' && markdown) return write(markdown());
  const asText = text && (() => (context.isTerminal ? fittedText(text(), context.columns) : text()));
  const [first, second] =
    format === 'table'
      ? [table && (() => asTable(context, table())), asText]
      : [asText, table && (() => asTable(context, table()))];
  write((first ?? second ?? (() => JSON.stringify(value, null, 2)))());
};
