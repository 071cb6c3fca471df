import type { DefinitionVersion } from '#lib/apiserver/crd/definition.ts';
import { numberIn, objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { JsonObject } from '#lib/json.ts';
import { ageCell } from './ages.ts';
import { type Column, nameColumn, type Printer } from './column.ts';
import { jsonPath } from './json-path.ts';

const AGE: JsonObject = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

type Find = (object: unknown) => readonly unknown[];

/** Returns a function that finds the values of a path. For a path that cannot be parsed, the function finds no values. */
const finderOf = (path: string): Find => {
  try {
    return jsonPath(path);
  } catch {
    return () => [];
  }
};

const cellOf = (type: string, value: unknown, nowMs: number): unknown => {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageCell(value, nowMs) : null;
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
};

/**
 * Returns the table of a custom resource: the name and the printer columns of its CRD, or else its age.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/registry/customresource/tableconvertor/tableconvertor.go
 */
export const customPrinter = ({ additionalPrinterColumns = [] }: DefinitionVersion): Printer => {
  const given = additionalPrinterColumns.length > 0 ? additionalPrinterColumns : [AGE];
  const columns = given.map((column): { readonly column: Column; readonly find: Find } => {
    const path = textIn(column, 'jsonPath');
    return {
      column: {
        name: textIn(column, 'name'),
        type: textIn(column, 'type'),
        format: textIn(column, 'format'),
        description: textIn(column, 'description') || `Custom resource definition column (in JSONPath format): ${path}`,
        priority: numberIn(column, 'priority'),
      },
      find: finderOf(path),
    };
  });
  return {
    columns: [nameColumn, ...columns.map(({ column }) => column)],
    cells: (object, nowMs) => [
      textIn(objectIn(object, 'metadata'), 'name'),
      ...columns.map(({ find, column: { type } }) => cellOf(type, find(object)[0], nowMs)),
    ],
  };
};
