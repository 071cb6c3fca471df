import { resolveSimplePath } from '../json-schema/field-path.ts';
import type { Definition, RuleFinding, ShapeRule } from './rule.ts';

const COLUMN_TYPES = ['integer', 'number', 'string', 'boolean', 'date'];
const COLUMN_FORMATS = ['int32', 'int64', 'float', 'double', 'byte', 'date', 'date-time', 'password'];

/** Each column has a name, a known type, a known format if any, and a path that starts with a dot. */
export const columns: ShapeRule = {
  id: 'columns',
  *check({ shape }): Iterable<RuleFinding> {
    for (const [at, column] of (shape.columns ?? []).entries()) {
      const { name, type, format, jsonPath } = column;
      const path = `columns[${at}]`;
      if (name === '') yield { at: `${path}.name`, message: 'must not be empty', value: name };
      if (!COLUMN_TYPES.includes(type)) {
        yield { at: `${path}.type`, message: `must be one of ${COLUMN_TYPES.join(', ')}`, value: type };
      }
      if (format !== undefined && !COLUMN_FORMATS.includes(format)) {
        yield { at: `${path}.format`, message: `must be one of ${COLUMN_FORMATS.join(', ')}`, value: format };
      }
      if (!jsonPath.startsWith('.')) {
        yield { at: `${path}.jsonPath`, message: 'must begin with "."', value: jsonPath, fix: `write .${jsonPath}` };
      }
    }
  },
};

/**
 * A column with a path below `.spec` or `.status` points to an existing field; otherwise, the column would stay empty. This rule
 * is stricter than the API server.
 */
export const columnPath: ShapeRule = {
  id: 'column-path',
  *check({ shape, root }): Iterable<RuleFinding> {
    for (const [at, { jsonPath }] of (shape.columns ?? []).entries()) {
      if (!/^\.(?:spec|status)\./.test(jsonPath)) continue;
      const resolved = resolveSimplePath(root, jsonPath);
      if (typeof resolved === 'string') yield { at: `columns[${at}].jsonPath`, message: resolved, value: jsonPath };
    }
  },
};

const scalePaths = ({ shape }: Definition) => {
  const { scale } = shape;
  if (scale === undefined) return [];
  return [
    { at: 'scale.spec', path: scale.spec, parts: ['.spec.'], type: 'integer' },
    { at: 'scale.status', path: scale.status, parts: ['.status.'], type: 'integer' },
    ...(scale.selector === undefined
      ? []
      : [{ at: 'scale.selector', path: scale.selector, parts: ['.spec.', '.status.'], type: 'string' }]),
  ];
};

/** The paths of the scale subresource are below `.spec` or `.status`, as the API server requires. */
export const scalePath: ShapeRule = {
  id: 'scale-path',
  *check(definition): Iterable<RuleFinding> {
    for (const { at, path, parts } of scalePaths(definition)) {
      if (parts.some((part) => path.startsWith(part))) continue;
      yield { at, message: `must begin with ${parts.join(' or ')}`, value: path };
    }
  },
};

/** The scale subresource reads and writes existing fields of the right type. This rule is stricter than the API server. */
export const scaleField: ShapeRule = {
  id: 'scale-field',
  *check(definition): Iterable<RuleFinding> {
    for (const { at, path, parts, type } of scalePaths(definition)) {
      if (!parts.some((part) => path.startsWith(part))) continue;
      const field = path.includes('[') ? 'must be plain field names' : resolveSimplePath(definition.root, path);
      if (typeof field === 'string') yield { at, message: field, value: path };
      else if (field !== undefined && field.type !== type) {
        yield { at, message: `must be a field of type ${type}, not ${field.type ?? 'untyped'}`, value: path };
      }
    }
  },
};
