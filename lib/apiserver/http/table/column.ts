import type { JsonObject } from '#lib/json.ts';

/** The description of a column in the response. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Priority: 0 for columns that are always shown, a higher number for columns of wide output only. */
  readonly priority: number;
}

/** The columns of the table of a kind, and the function that computes the cells. */
export interface Printer {
  readonly columns: readonly Column[];
  /** Returns one cell per column. */
  readonly cells: (object: JsonObject, nowMs: number) => readonly unknown[];
}

const NAME =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically.';

/** Creates a column that is always shown. */
export const shownCell = (name: string, type = 'string', description = ''): Column => ({
  name,
  type,
  format: '',
  description,
  priority: 0,
});

/** Creates a column of wide output. */
export const wide = (name: string): Column => ({ ...shownCell(name), priority: 1 });

/** The column with the name, which is the first column of most tables. */
export const nameColumn: Column = { name: 'Name', type: 'string', format: 'name', description: NAME, priority: 0 };
