import type { Schema } from '#lib/apiserver/machinery/schema.ts';
import { valuesSchemaOf } from '../subschema.ts';
import { type CompiledRule, compileRule } from './compile.ts';
import { declTypeOf } from './decl-type.ts';

/** The compiled rules of a schema node and of those below it that have any. */
export interface RuleTree {
  readonly schema: Schema;
  /** Whether the node is a resource: its rules see metadata.name and the like. */
  readonly isRoot: boolean;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly values?: RuleTree | undefined;
  readonly items?: RuleTree | undefined;
}

const isResource = (schema: Schema): boolean => schema['x-kubernetes-embedded-resource'] === true;

const RULES = 'x-kubernetes-validations';

/** Compiles the rules of one node; none when the node cannot be seen by rules. */
export const compileRules = (schema: Schema, isRoot: boolean): readonly CompiledRule[] => {
  const type = declTypeOf(schema, isRoot || isResource(schema));
  return type === undefined ? [] : (schema[RULES] ?? []).map((rule) => compileRule(rule, schema, type));
};

const build = (schema: Schema, isRoot: boolean): RuleTree | undefined => {
  const root = isRoot || isResource(schema);
  const rules = compileRules(schema, root);
  const properties = new Map<string, RuleTree>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const child = rulesOf(property, false);
    if (child !== undefined) properties.set(name, child);
  }
  const valuesSchema = valuesSchemaOf(schema);
  const values = valuesSchema && rulesOf(valuesSchema, false);
  const items = schema.items && rulesOf(schema.items, false);
  if (rules.length === 0 && properties.size === 0 && !values && !items) return undefined;
  return { schema, isRoot: root, rules, properties, values, items };
};

const roots = new WeakMap<Schema, { readonly tree: RuleTree | undefined }>();
const inner = new WeakMap<Schema, { readonly tree: RuleTree | undefined }>();

/** The rules of a schema, compiled once; `undefined` when there are none. */
export const rulesOf = (schema: Schema, isRoot: boolean): RuleTree | undefined => {
  const known = isRoot ? roots : inner;
  let found = known.get(schema);
  if (found === undefined) {
    found = { tree: build(schema, isRoot) };
    known.set(schema, found);
  }
  return found.tree;
};
