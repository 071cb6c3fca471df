import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { type CompiledRule, compileRule } from './compile.ts';
import { declTypeOf } from './decl-type.ts';
import { valuesSchemaOf } from './subschema.ts';

/** The compiled rules of a schema node and of the nodes below it. */
export interface RuleTree {
  readonly schema: StructuralSchema;
  /**
   * Whether the node is the root of an object, or an embedded object. Rules of such a node can also read `apiVersion`, `kind`,
   * `metadata.name` and `metadata.generateName`.
   */
  readonly isRoot: boolean;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly values?: RuleTree | undefined;
  readonly items?: RuleTree | undefined;
}

const isResource = (schema: StructuralSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;

const RULES = 'x-kubernetes-validations';

/** Compiles the rules of one node. Returns no rules if expressions cannot read values of the node. */
export const compileRules = (schema: StructuralSchema, isRoot: boolean): readonly CompiledRule[] => {
  const type = declTypeOf(schema, isRoot || isResource(schema));
  return type === undefined ? [] : (schema[RULES] ?? []).map((rule) => compileRule(rule, schema, type));
};

const build = (schema: StructuralSchema, isRoot: boolean): RuleTree | undefined => {
  const root = isRoot || isResource(schema);
  const rules = compileRules(schema, root);
  const properties = new Map<string, RuleTree>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const child = compiledRules(property, false);
    if (child !== undefined) properties.set(name, child);
  }
  const valuesSchema = valuesSchemaOf(schema);
  const values = valuesSchema && compiledRules(valuesSchema, false);
  const items = schema.items && compiledRules(schema.items, false);
  if (rules.length === 0 && properties.size === 0 && !values && !items) return undefined;
  return { schema, isRoot: root, rules, properties, values, items };
};

const roots = new WeakMap<StructuralSchema, { readonly tree: RuleTree | undefined }>();
const inner = new WeakMap<StructuralSchema, { readonly tree: RuleTree | undefined }>();

/** The compiled rules of a schema, from a cache if possible; `undefined` when neither the schema nor its parts have rules. */
export const compiledRules = (schema: StructuralSchema, isRoot: boolean): RuleTree | undefined => {
  const known = isRoot ? roots : inner;
  let found = known.get(schema);
  if (found === undefined) {
    found = { tree: build(schema, isRoot) };
    known.set(schema, found);
  }
  return found.tree;
};
