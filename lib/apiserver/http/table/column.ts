import type { JsonObject } from '#lib/json.ts';

/** A column of a table, as the answer describes it. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 for those that are always shown, more for wide output. */
  readonly priority: number;
}

/** What a table shows of the objects of a kind. */
export interface Printer {
  readonly columns: readonly Column[];
  /** One cell per column. */
  readonly cells: (object: JsonObject, nowMs: number) => readonly unknown[];
}

const NAME =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically.';

/** A column that is always shown. */
export const shown = (name: string, type = 'string', description = ''): Column => ({
  name,
  type,
  format: '',
  description,
  priority: 0,
});

/** A column of wide output. */
export const wide = (name: string): Column => ({ ...shown(name), priority: 1 });

/** The column that all tables begin with. */
export const nameColumn: Column = { name: 'Name', type: 'string', format: 'name', description: NAME, priority: 0 };
