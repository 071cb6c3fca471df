import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isResource, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';
import { goJson, goQuote } from '#lib/apiserver/machinery/text/go-text.ts';
import { isPlainObject } from '#lib/json.ts';

interface Term {
  readonly field: string;
  readonly value: string;
  readonly isNegated: boolean;
}

/** A field selector, resolved for one kind. */
export interface FieldSelector {
  matches(object: ServerObject): boolean;
  /** The name that matching objects must have, if the selector requires one. */
  readonly name?: string;
}

const unescaped = (text: string): string => {
  const bad = /\\(?:[^\\,=]|$)/.exec(text.replaceAll(/\\[\\,=]/g, ''));
  if (bad) throw badRequest(`invalid field selector: invalid escape sequence: ${bad[0]}`);
  const bare = /[,=]/.exec(text.replaceAll(/\\[\\,=]/g, ''));
  if (bare) throw badRequest(`invalid field selector: unescaped character in value: ${bare[0].charCodeAt(0)}`);
  return text.replaceAll(/\\([\\,=])/g, '$1');
};

const termOf = (part: string, selector: string): Term => {
  const operator = /!=|==|=/.exec(part);
  if (!operator) throw badRequest(`invalid selector: '${selector}'; can't understand '${part}'`);
  const value = unescaped(part.slice(operator.index + operator[0].length));
  return { field: part.slice(0, operator.index), value, isNegated: operator[0] === '!=' };
};

/** @see k8s.io/apimachinery v0.36.4 pkg/fields/selector.go (`parseSelector`) */
const termsOf = (selector: string): readonly Term[] => {
  const parts = selector.match(/(?:\\[\s\S]|[^,\\])+|\\$/g) ?? [];
  return parts.toSorted().map((part) => termOf(part, selector));
};

/**
 * Throws if the kind does not support a field in selectors.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/runtime/converter.go (`DefaultMetaV1FieldSelectorConversion`)
 */
const checkField = ({ scope, isCustom, strategy, group, kind, plural }: ServedKind, field: string): void => {
  const own = strategy.selectableFields ?? [];
  const isNamespace = isResource({ group, plural }, resources.namespaces);
  const hasNamespace = scope === 'Namespaced' || (isCustom !== true && !isNamespace);
  const isMeta = field === 'metadata.name' || (field === 'metadata.namespace' && hasNamespace);
  if (own.includes(field) || isMeta || (isNamespace && field === 'name')) return;
  if (isCustom !== true && group !== '' && own.length > 0) {
    throw badRequest(`field label ${goQuote(field)} not supported for ${kind}`);
  }
  if (isCustom === true || isNamespace || own.length > 0) throw badRequest(`field label not supported: ${field}`);
  throw badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
};

const valueAt = (object: ServerObject, field: string, { strategy }: ServedKind): string => {
  const own = strategy.selectableValue?.(object, field);
  if (own !== undefined) return own;
  const path = field === 'name' ? 'metadata.name' : field;
  let value: unknown = object;
  for (const part of path.split('.')) {
    value = isPlainObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return typeof value === 'string' ? value : goJson(value ?? '').replaceAll('"', '');
};

/**
 * Parses a field selector such as `metadata.name=web,status.phase!=Running`; an object must satisfy all terms.
 *
 * @returns the sorted terms, or undefined for an empty selector
 * @throws {StatusError} 400 with the real server's message
 */
export const parseFieldSelector = (text: string | undefined): readonly Term[] | undefined => {
  if (text === undefined || text === '') return undefined;
  const terms = termsOf(text);
  return terms.length === 0 ? undefined : terms;
};

/** Resolves parsed terms for a kind; undefined without terms. @throws {StatusError} 400 for unsupported fields */
export const fieldSelectorOf = (kind: ServedKind, terms: readonly Term[] | undefined): FieldSelector | undefined => {
  if (terms === undefined) return undefined;
  for (const { field } of terms) checkField(kind, field);
  const exact = terms.find(({ field, isNegated }) => field === 'metadata.name' && !isNegated);
  return {
    matches: (object) =>
      terms.every(({ field, value, isNegated }) => (valueAt(object, field, kind) === value) !== isNegated),
    ...(exact && { name: exact.value }),
  };
};

/** Returns the term `metadata.name=<name>`, which a request for a single object implies. */
export const nameTerm = (name: string): Term => ({ field: 'metadata.name', value: name, isNegated: false });
