import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalidValue,
  keyPath,
  memberPath,
  required,
  tooMany,
} from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { followPath } from '#lib/cel/rule-field-path.ts';
import type { JsonObject } from '#lib/json.ts';
import type { DefinitionVersion } from '../definition.ts';

/** Validates the deprecation warning of a version. */
export const validateDeprecation = (
  { deprecated, deprecationWarning }: DefinitionVersion,
  path: FieldPath,
): FieldError[] => {
  if (deprecationWarning === undefined) return [];
  const refused = (why: string): FieldError =>
    invalidValue(memberPath(path, 'deprecationWarning'), deprecationWarning, why);
  if (deprecated !== true) return [refused('can only be set for deprecated versions')];
  return [
    ...(Buffer.byteLength(deprecationWarning) > 256 ? [refused('must be <= 256 characters long')] : []),
    ...(deprecationWarning === '' ? [refused('must not be an empty string')] : []),
  ];
};

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

const validateColumn = (column: JsonObject, path: FieldPath): FieldError[] => {
  const text = (name: string): string => {
    const value = column[name];
    return typeof value === 'string' ? value : '';
  };
  const [type, format, jsonPath] = [text('type'), text('format'), text('jsonPath')];
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  const errors: FieldError[] = [];
  if (text('name') === '') errors.push(required(memberPath(path, 'name')));
  if (type === '') errors.push(required(memberPath(path, 'type'), types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalidValue(memberPath(path, 'type'), type, types));
  if (format !== '' && !COLUMN_FORMATS.includes(format)) {
    errors.push(invalidValue(memberPath(path, 'format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  }
  if (jsonPath === '') errors.push(required(memberPath(path, 'JSONPath')));
  return [...errors, ...validatePath(jsonPath, memberPath(path, 'JSONPath'))];
};

/** Validates the additional printer columns of a version. */
export const validateColumns = (columns: readonly JsonObject[] = [], path: FieldPath): FieldError[] =>
  columns.flatMap((column, index) => validateColumn(column, keyPath(path, index)));

const validatePath = (jsonPath: string, path: FieldPath): FieldError[] =>
  jsonPath === '' || jsonPath.startsWith('.')
    ? []
    : [invalidValue(path, jsonPath, 'must be a simple json path starting with .')];

interface Below {
  readonly prefixes: readonly string[];
  readonly why: string;
}

const validateScalePath = (jsonPath: string, path: FieldPath, { prefixes, why }: Below): FieldError[] => {
  if (jsonPath === '') return [required(path)];
  const errors = validatePath(jsonPath, path);
  if (errors.length > 0 || prefixes.some((prefix) => jsonPath.startsWith(prefix))) return errors;
  return [invalidValue(path, jsonPath, why)];
};

const SPEC: Below = { prefixes: ['.spec.'], why: 'should be a json path under .spec' };
const STATUS: Below = { prefixes: ['.status.'], why: 'should be a json path under .status' };
const EITHER: Below = { prefixes: ['.spec.', '.status.'], why: 'should be a json path under either .spec or .status' };

/** Validates the paths of the scale subresource of a version. */
export const validateSubresources = (
  subresources: DefinitionVersion['subresources'],
  path: FieldPath,
): FieldError[] => {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = scale;
  const at = (name: string): FieldPath => memberPath(path, `scale.${name}`);
  return [
    ...validateScalePath(specReplicasPath, at('specReplicasPath'), SPEC),
    ...validateScalePath(statusReplicasPath, at('statusReplicasPath'), STATUS),
    ...(labelSelectorPath === '' ? [] : validateScalePath(labelSelectorPath, at('labelSelectorPath'), EITHER)),
  ];
};

const MAX_SELECTABLE = 8;

const SELECTABLE_TYPES =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

const validateSelectable = (jsonPath: string, schema: StructuralSchema, path: FieldPath): FieldError[] => {
  if (jsonPath === '') return [required(path)];
  const followed = followPath(jsonPath, schema, false);
  if ('problem' in followed) return [invalidValue(path, jsonPath, `is an invalid path: ${followed.problem}`)];
  const { type = '' } = followed.schema;
  return [
    ...(/^\.?metadata(?:\.|$)/.test(followed.path)
      ? [invalidValue(path, jsonPath, 'must not point to fields in metadata')]
      : []),
    ...(['string', 'boolean', 'integer'].includes(type) ? [] : [invalidValue(path, jsonPath, SELECTABLE_TYPES)]),
  ];
};

/**
 * Validates the fields that field selectors may use.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/validation/validation.go
 * (`ValidateCustomResourceSelectableFields`)
 */
export const validateSelectableFields = (
  fields: DefinitionVersion['selectableFields'] = [],
  schema: StructuralSchema | undefined,
  path: FieldPath,
): FieldError[] => {
  if (fields.length === 0) return [];
  if (schema === undefined) return [invalidValue(path, '', 'may only be set when validations.schema is included')];
  const seen = new Set<string>();
  const errors = fields.flatMap(({ jsonPath }, index) => {
    const at = memberPath(keyPath(path, index), 'jsonPath');
    const found = validateSelectable(jsonPath, schema, at);
    if (jsonPath === '' || 'problem' in followPath(jsonPath, schema, false)) return found;
    const again = seen.has(jsonPath) ? [duplicate(at, jsonPath)] : [];
    seen.add(jsonPath);
    return [...found, ...again];
  });
  return seen.size > MAX_SELECTABLE ? [...errors, tooMany(path, seen.size, MAX_SELECTABLE)] : errors;
};
