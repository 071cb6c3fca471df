import { stripVTControlCharacters } from 'node:util';
import type { CliContext } from './context.ts';
import type { Format } from './options.ts';

/** A table as kubectl prints them. */
export interface Table {
  /** In capital letters, as in `NAME`. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns that are left out where lines must fit, in that order, before cells are cut. @default none */
  readonly dispensable?: readonly string[];
}

/** How a result is printed. */
export interface PrintOptions {
  readonly format: Format;
  /** For people. @default the table */
  readonly text?: () => string;
  /** @default the text */
  readonly table?: () => Table;
}

const GAP = 3;
/** A column that must give way keeps so many characters. */
const NARROWEST = 6;

/** Text of others, safe to be shown: names and messages must not command the terminal. Tab and line feed stay. */
export const printable = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (character) =>
    character === '\t' || character === '\n'
      ? character
      : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );

/** The beginning of a text, with an ellipsis when something was cut off. */
const clipped = (text: string, width: number): string => {
  const letters = Array.from(text);
  return letters.length <= width ? text : `${letters.slice(0, Math.max(width - 1, 0)).join('')}…`;
};

const lengthOf = (text: string): number => Array.from(text).length;

/** The widest column gives way until the line fits, or all are as narrow as they may be. */
const fitted = (widths: readonly number[], columns: number): readonly number[] => {
  const fit = [...widths];
  const total = (): number => fit.reduce((sum, width) => sum + width, GAP * (fit.length - 1));
  while (total() > columns) {
    const widest = fit.indexOf(Math.max(...fit));
    const width = fit[widest] ?? 0;
    if (width <= NARROWEST) break;
    fit[widest] = width - 1;
  }
  return fit;
};

/** The last column may be cut to so much before another one is left out. */
const LAST = 20;

const without = (table: Table, column: string): Table => {
  const gone = table.columns.indexOf(column);
  const kept = (line: readonly string[]): readonly string[] => line.filter((_, at) => at !== gone);
  return { ...table, columns: kept(table.columns), rows: table.rows.map(kept) };
};

const widthsOf = ({ columns, rows }: Table): readonly number[] =>
  columns.map((column, at) => Math.max(lengthOf(column), ...rows.map((row) => lengthOf(row[at] ?? ''))));

/** The table without what may be left out, as far as that is needed. */
const narrowed = (table: Table, columns: number): Table => {
  const [column, ...others] = table.dispensable ?? [];
  if (column === undefined) return table;
  const widths = widthsOf(table);
  const [last = 0, ...before] = widths.toReversed();
  const least = before.reduce((sum, width) => sum + width + GAP, Math.min(last, LAST));
  return least <= columns ? table : narrowed({ ...without(table, column), dispensable: others }, columns);
};

/**
 * A table as lines, each column as wide as its widest cell.
 *
 * @param table - columns and rows
 * @param columns - what cells are cut for, so that lines fit; without it none is cut
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
 * Text in lines that fit, broken between words; longer words stand alone.
 *
 * @param text - one paragraph
 * @param columns - the width of a line
 * @param indent - in front of each line
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

/** Of a line with colours. */
const lookOf = (text: string): number => lengthOf(stripVTControlCharacters(text));

/** Lines that stand under one another in columns keep their gaps: a line is broken only where it has to be. */
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
 * Text in lines that fit, broken between words, the rest of a line indented under its beginning; longer words stand alone.
 *
 * @param text - lines, maybe with colours
 * @param columns - the width of a line
 */
const fittedText = (text: string, columns: number): string =>
  text
    .split('\n')
    .map((line) => broken(line, columns))
    .join('\n');

const asTable = (context: Pick<CliContext, 'isTerminal' | 'columns'>, table: Table): string =>
  renderTable(table, context.isTerminal ? context.columns : undefined);

/**
 * Prints the result of a command on `stdout` as `--output` says.
 *
 * @param context - the process
 * @param value - for json and yaml; made of plain data
 * @param options - the format, and how text and table are made
 */
export const printResult = async (context: CliContext, value: unknown, options: PrintOptions): Promise<void> => {
  const { format, text, table } = options;
  const write = (printed: string): void => void context.stdout.write(printed.endsWith('\n') ? printed : `${printed}\n`);
  if (format === 'json') return write(JSON.stringify(value, null, 2));
  if (format === 'yaml') {
    const { stringify } = await import('yaml');
    return write(stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 }));
  }
  const asText = text && (() => (context.isTerminal ? fittedText(text(), context.columns) : text()));
  const [first, second] =
    format === 'table'
      ? [table && (() => asTable(context, table())), asText]
      : [asText, table && (() => asTable(context, table()))];
  write((first ?? second ?? (() => JSON.stringify(value, null, 2)))());
};
