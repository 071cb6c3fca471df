import type { Issue } from '#lib/errors.ts';
import { childPath, type JsonObject } from '#lib/json.ts';
import { walkSchema } from '../json-schema/walk.ts';
import { declaredAlternative, restrictingAlternative } from './alternatives.ts';
import { embeddedDefault, embeddedIdentity, embeddedResource, intOrStringRule, preserveUnknown } from './extensions.ts';
import { forbiddenKeyword, keywordType, uniqueItems, unknownKeyword } from './keywords.ts';
import { itemsNotNull, listMapKeyPresent, listMapKeys, listType, mapType, setItems } from './lists.ts';
import { group, nameLength, names, protectedGroup, version } from './names.ts';
import { columnPath, columns, scaleField, scalePath } from './paths.ts';
import { REMEDIES } from './remedies.ts';
import type { Definition, RuleFinding, SchemaRule, ShapeRule } from './rule.ts';
import { reservedStatus } from './status.ts';
import {
  fieldsOrValues,
  itemsRequired,
  objectPart,
  requiredDeclared,
  typeKnown,
  typeRequired,
  valuesSchema,
} from './types.ts';
import { celFieldPath, celMessage, celOldSelf, celReservedName, celRule } from './validations.ts';
import { boundsOrder, defaultFits, defaultNull, defaultPruned, enumValues, pattern } from './values.ts';

/** The rules over the parts of a definition that are not schemas, in the order in which their findings are reported. */
export const SHAPE_RULES: readonly ShapeRule[] = [
  group,
  protectedGroup,
  version,
  names,
  nameLength,
  reservedStatus,
  scalePath,
  scaleField,
  columns,
  columnPath,
];

/** The rules over every schema, in the order in which their findings are reported. */
export const SCHEMA_RULES: readonly SchemaRule[] = [
  forbiddenKeyword,
  unknownKeyword,
  keywordType,
  typeRequired,
  typeKnown,
  objectPart,
  itemsRequired,
  fieldsOrValues,
  valuesSchema,
  requiredDeclared,
  uniqueItems,
  intOrStringRule,
  preserveUnknown,
  embeddedResource,
  embeddedIdentity,
  embeddedDefault,
  restrictingAlternative,
  declaredAlternative,
  listType,
  listMapKeys,
  listMapKeyPresent,
  itemsNotNull,
  setItems,
  mapType,
  pattern,
  enumValues,
  boundsOrder,
  defaultFits,
  defaultPruned,
  defaultNull,
  celRule,
  celMessage,
  celFieldPath,
  celReservedName,
  celOldSelf,
];

/** Makes an issue from a finding. A finding without a fix gets the fix of its rule. */
export const issueOf = (
  rule: string,
  path: string,
  { message, fix = REMEDIES[rule], ...rest }: RuleFinding,
): Issue => ({
  path,
  message,
  rule,
  ...('value' in rest && { value: rest.value }),
  ...(fix !== undefined && { fix }),
});

/**
 * Applies all rules over a single version to a definition.
 *
 * @param definition - the shape, and its parsed root schema
 * @param rawRoot - the root schema as the developer of the kind wrote it
 * @returns every issue; empty when the definition is valid
 */
export const findIssues = (definition: Definition, rawRoot: JsonObject): Issue[] => {
  const ofShape = SHAPE_RULES.flatMap(({ id, check }) =>
    [...check(definition)].map((finding) => issueOf(id, finding.at ?? '', finding)),
  );
  const ofSchemas = [...walkSchema(rawRoot)].flatMap((visit) =>
    SCHEMA_RULES.flatMap(({ id, check }) =>
      [...check(visit)].map((finding) =>
        issueOf(id, finding.at === undefined ? visit.path : childPath(visit.path, finding.at), finding),
      ),
    ),
  );
  return [...ofShape, ...ofSchemas];
};
