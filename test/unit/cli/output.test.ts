import { describe, expect, it } from 'vitest';
import { printable, printResult, renderTable, wrapped } from '#lib/cli/shell/output.ts';
import { recordingContext, type Surroundings } from './run-cli.ts';

const table = {
  columns: ['NAME', 'READY', 'MESSAGE'],
  rows: [
    ['web-1', '1/1', 'all pods are ready and have been for a while'],
    ['a-very-long-name-of-something', '0/1', ''],
  ],
};

const printed = async (format: 'text' | 'json' | 'yaml' | 'table', surroundings: Surroundings = {}) => {
  const { context, written } = recordingContext(surroundings);
  await printResult(context, { name: 'web', list: [1] }, { format, table: () => table });
  return written().stdout;
};

describe('renderTable()', () => {
  it('prints columns as kubectl does', () => {
    expect(renderTable(table)).toBe(`NAME                            READY   MESSAGE
web-1                           1/1     all pods are ready and have been for a while
a-very-long-name-of-something   0/1
`);
  });

  it('cuts a sentence at the end before names, which people copy', () => {
    expect(renderTable(table, 64)).toBe(`NAME                            READY   MESSAGE
web-1                           1/1     all pods are ready and …
a-very-long-name-of-something   0/1
`);
  });

  it('cuts the widest columns where lines must fit', () => {
    expect(renderTable(table, 40)).toBe(`NAME             READY   MESSAGE
web-1            1/1     all pods are r…
a-very-long-n…   0/1
`);
    expect(renderTable(table, 1).split('\n')[2]).toBe('a-ver…   0/1');
  });
});

describe('printResult()', () => {
  it('prints the format that was asked for, and cuts only on a terminal', async () => {
    expect(await printed('json')).toBe('{\n  "name": "web",\n  "list": [\n    1\n  ]\n}\n');
    expect(await printed('yaml')).toBe('name: web\nlist:\n  - 1\n');
    expect(await printed('table', { columns: 40 })).toBe(renderTable(table));
    expect(await printed('text', { columns: 40, isTerminal: true })).toBe(renderTable(table, 40));
  });
});

describe('printable()', () => {
  it('lets no name command the terminal', () => {
    expect(printable('a\u001B[31mb\tc\nd\u0007')).toBe('a\\x1b[31mb\tc\nd\\x07');
  });
});

describe('wrapped()', () => {
  it('breaks between words', () => {
    expect(wrapped('one two three  four', 9, '  ')).toBe('  one two\n  three\n  four\n');
    expect(wrapped('incomprehensibilities', 9)).toBe('incomprehensibilities\n');
  });
});
