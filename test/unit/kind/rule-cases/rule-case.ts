import { s } from '#lib/kind/schema/schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';

/** One rule, a definition that breaks this rule, and a definition that does not. */
export interface RuleCase {
  readonly rule: string;
  readonly reason: string;
  /** Changes of {@link baseShape} that break the rule. */
  readonly refused: Partial<KindShape>;
  /** Where the issue is reported. */
  readonly path: string;
  /** The nearest valid definition. */
  readonly accepted: Partial<KindShape>;
  /** Whether the rule is stricter than the API server, which accepts both definitions. */
  readonly ours?: true;
}

/** The definition that the cases change. */
export const baseShape: KindShape = {
  group: 'rules.example.com',
  version: 'v1alpha1',
  kind: 'Probe',
  spec: s.object({}),
  status: s.object({}),
};

export type RawSchema = Readonly<Record<string, unknown>>;
export const field = (a: RawSchema): Partial<KindShape> => ({ spec: s.object({ a: s.unsafe(a) }) });

export const LIST_TYPE = 'x-kubernetes-list-type';
export const KEYS = 'x-kubernetes-list-map-keys';
export const MAP_TYPE = 'x-kubernetes-map-type';
export const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
export const INT_OR_STRING = 'x-kubernetes-int-or-string';
export const EMBEDDED = 'x-kubernetes-embedded-resource';
export const RULES = 'x-kubernetes-validations';

export const text = { type: 'string' };
export const integer = { type: 'integer' };
export const named = { type: 'object', required: ['name'], properties: { name: text } };
export const mapOf = (items: RawSchema, keys: readonly string[] = ['name']): Partial<KindShape> =>
  field({ type: 'array', [LIST_TYPE]: 'map', [KEYS]: keys, items });
export const setOf = (items: RawSchema): Partial<KindShape> => field({ type: 'array', [LIST_TYPE]: 'set', items });
export const ruled = (rule: RawSchema): Partial<KindShape> =>
  field({ type: 'object', properties: { b: integer }, [RULES]: [rule] });
export const oldSelf = [{ rule: 'self == oldSelf', message: 'is immutable' }];
