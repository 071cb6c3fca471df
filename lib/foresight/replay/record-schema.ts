import { objectMetaSchema } from '#lib/apiserver/machinery/object-meta-schema.ts';
import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';

const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer', minimum: 1 };
const instant: JsonSchema = { type: 'string', format: 'date-time' };
const texts: JsonSchema = { type: 'object', additionalProperties: text };

const oneOf = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });

const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** Objects with these fields. Other fields are allowed, because later versions may add some. */
const objectOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => ({ type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } });

/** The levels of a set of fields that are checked. Sets of fields in Kubernetes have fewer levels. */
const TREE_LEVELS = 32;

const fieldTree = Array.from({ length: TREE_LEVELS }).reduce<JsonSchema>(
  (additionalProperties) => ({ type: 'object', additionalProperties }),
  { type: 'object' },
);

const owned = objectOf({ set: objectOf({ id: text, tree: fieldTree }), values: { type: 'number' } });

const override = objectOf({ way: listOf(text) });

/** The schema of a pin, see `Pin`. */
export const pinSchema = objectOf({ intent: text }, { owned, overrides: listOf(override) });

/** The schema of a refused change of immutable fields, see `Immutable`. */
export const immutableSchema = objectOf({ intent: text, fields: listOf(text) });

const kubeObject = objectOf({ metadata: objectMetaSchema }, { apiVersion: text, kind: text });

const namedKind = { apiVersion: text, kind: text };

const child = objectOf({ ...namedKind, object: kubeObject }, { owned });

const metadata = objectOf(
  {
    name: text,
    namespace: text,
    uid: text,
    generation: { type: 'integer' },
    creationTimestamp: instant,
    labels: texts,
    annotations: texts,
    annotationManagers: texts,
  },
  { deletionTimestamp: instant },
);

const refusal = objectOf(
  {
    verb: oneOf('create', 'apply', 'adopt', 'release', 'remove'),
    kind: text,
    name: text,
    reason: text,
    attempts: count,
    at: instant,
  },
  { webhook: text },
);

const outcome = objectOf({
  effect: oneOf('http', 'dryRun'),
  key: text,
  told: objectOf(
    { state: oneOf('none', 'running', 'succeeded', 'failed') },
    { value: { type: 'object' }, reason: text, attempts: count, at: instant },
  ),
});

const state = objectOf({ state: oneOf('ready', 'progressing', 'stalled'), reason: text, message: text });

const step = objectOf(
  {
    ...namedKind,
    step: oneOf('create', 'apply', 'adopt', 'release', 'replace', 'remove', 'prune', 'skip'),
    name: text,
    reason: text,
  },
  { object: kubeObject },
);

const answer = objectOf({ failed: { type: 'boolean' }, state, steps: listOf(step) }, { status: { nullable: true } });

const head = { ...namedKind, pass: count, key: text, at: instant };

/**
 * The schema of a record of a pass, see `PassRecord`. The schema covers all fields that the replay reads itself, and not the spec
 * and the status of objects, which the functions of a kind read.
 */
export const recordSchema: JsonSchema = objectOf(
  {
    ...head,
    resource: objectOf({ metadata }),
    resourceVersion: text,
    finalizers: listOf(text),
    children: listOf(child),
    orphans: listOf(child),
    lookups: listOf(objectOf({ question: text, objects: listOf(kubeObject) })),
    refused: listOf(refusal),
    outcomes: listOf(outcome),
    pins: listOf({ type: 'array', minItems: 2, maxItems: 2 }),
    immutables: listOf({ type: 'array', minItems: 2, maxItems: 2 }),
    answer,
  },
  { extension: text, restored: listOf(child), selectorError: text, eased: state, unreplayable: text },
);

/** The schema of the entry for a pass with a record that was too large, see `PassStub`. */
export const stubSchema: JsonSchema = objectOf({ ...head, unreplayable: text });
