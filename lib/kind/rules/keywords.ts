import { isPlainObject, memberOf, membersOf } from '#lib/json.ts';
import { hasKeywordType } from '../json-schema/json-schema.ts';
import { FORBIDDEN_KEYWORDS, KEYWORDS, KIND_NAMES } from '../json-schema/keywords.ts';
import { tryNearest } from '../value/suggestion.ts';
import type { RuleFinding, SchemaRule } from './rule.ts';

const isKnown = (keyword: string): boolean =>
  Object.hasOwn(KEYWORDS, keyword) || Object.hasOwn(FORBIDDEN_KEYWORDS, keyword) || isMark(keyword);

/**
 * Whether a keyword is an internal property of TypeBox. A setting of TypeBox makes these properties enumerable. `readSchema`
 * removes them, so they are allowed.
 */
const isMark = (keyword: string): boolean => keyword.startsWith('~');

/**
 * A schema has only keywords that the API server supports. The server drops other keywords, or refuses them in strict
 * validation.
 */
export const unknownKeyword: SchemaRule = {
  id: 'unknown-keyword',
  *check({ raw }): Iterable<RuleFinding> {
    for (const [keyword, value] of membersOf(raw)) {
      if (isKnown(keyword)) continue;
      const nearest = tryNearest(keyword, Object.keys(KEYWORDS));
      const typo = nearest === undefined ? 'express it with other keywords or a CEL rule' : `did you mean ${nearest}?`;
      const fix = keyword === 'const' ? 'use s.enum with one value' : typo;
      yield { message: `the API server ignores the keyword ${keyword}`, value, fix };
    }
  },
};

/** A schema has no keywords of JSON Schema that a structural schema does not support, such as `$ref`. */
export const forbiddenKeyword: SchemaRule = {
  id: 'forbidden-keyword',
  *check({ raw }): Iterable<RuleFinding> {
    for (const [keyword, value] of membersOf(raw)) {
      const fix = memberOf(FORBIDDEN_KEYWORDS, keyword);
      if (fix !== undefined) yield { message: `the keyword ${keyword} is not supported`, value, fix };
    }
  },
};

/** The value of a keyword has the type that the API server expects. Otherwise, the API server refuses the CRD. */
export const keywordType: SchemaRule = {
  id: 'keyword-type',
  *check({ raw }): Iterable<RuleFinding> {
    for (const [keyword, value] of membersOf(raw)) {
      const kind = memberOf(KEYWORDS, keyword);
      if (kind === undefined || hasKeywordType(kind, value)) continue;
      const culprit = kind === 'fields' && isPlainObject(value) ? culpritOf(value) : undefined;
      yield culprit ?? { message: `${keyword} must be ${KIND_NAMES[kind]}`, value };
    }
  },
};

const culpritOf = (fields: Readonly<Record<string, unknown>>): RuleFinding | undefined => {
  const culprit = membersOf(fields).find(([, field]) => !isPlainObject(field));
  return culprit && { message: `the property ${culprit[0]} must be ${KIND_NAMES.schema}`, value: culprit[1] };
};

/**
 * A list does not set `uniqueItems` to true. The API server refuses this value, because the comparison of all items with each
 * other is slow.
 */
export const uniqueItems: SchemaRule = {
  id: 'unique-items',
  *check({ schema }): Iterable<RuleFinding> {
    if (schema.uniqueItems === true) {
      yield { message: 'uniqueItems is not supported', value: true, fix: 'use s.set, or s.mapList with keys' };
    }
  },
};
