import { createHash } from 'node:crypto';
import { equalJson, isPlainObject, type Json, type JsonObject, membersOf } from '#lib/json.ts';
import { type JsonSchema, readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { apiVersionOf } from '#lib/kind/names.ts';
import type { KindShape, VersionShape } from '#lib/kind/shape.ts';
import type { PatternMatcher } from '#lib/kind/value/scalar.ts';
import { INCOMPLETE_LABEL, KEPT_ANNOTATION } from '#lib/kind/versions/annotations.ts';
import type { VersionContent, VersionStep } from '#lib/kind/versions/between.ts';
import { versionsOf } from '#lib/kind/versions/chain.ts';
import { hasNotes, isIncomplete, isMarked, labelOf, pathOf, withNotes } from './annotate.ts';
import { ConversionError, tellable } from './error.ts';
import { differences, type Kept, type KeptByVersion, readKept } from './kept.ts';
import { assertContent } from './result.ts';
import { salvage } from './salvage.ts';

/** An object of a kind in one of its versions, as the API server sends it. */
export interface VersionedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject;
  readonly spec?: Json;
  readonly status?: Json;
  readonly [field: string]: unknown;
}

/** A conversion from one version to the next newer or older version. */
interface Leg {
  readonly from: VersionShape;
  readonly to: VersionShape;
  readonly there: (content: VersionContent) => VersionContent;
  readonly back: (content: VersionContent) => VersionContent;
}

/** The state of an object between two steps of a conversion. */
interface Parts {
  readonly content: VersionContent;
  readonly kept: KeptByVersion;
  /** Kept data that cannot be restored although their value has not changed. */
  readonly unkept: readonly Kept[];
}

/** The content before a step, the content after it, and the data that were kept for the version after the step. */
interface Restorable {
  readonly content: VersionContent;
  readonly there: VersionContent;
  readonly kept: readonly Kept[];
}

/** The content after a step, with restored data, and the data that could not be restored. */
interface Restored {
  readonly content: VersionContent;
  readonly lost: readonly Kept[];
}

/** Functions that a conversion uses, in addition to the functions of the kind. */
export interface ConversionTools {
  /**
   * Matches texts with patterns. The texts may come from any client.
   *
   * @default the regular expressions of JavaScript, which take exponential time for some texts
   */
  readonly matches?: PatternMatcher;
  /**
   * Returns a message for each CEL rule that an object violates in the version of the definition.
   *
   * @default no rules are evaluated
   */
  readonly brokenRules?: (shape: KindShape, object: VersionedObject) => readonly string[];
  /**
   * Makes the value of the label for an object without room for the kept data in its annotations.
   *
   * @default a hash without a key, which any client can compute
   */
  readonly seal?: (uid: string) => string;
}

/** The target version of a conversion, and the functions for it. */
export interface ConversionTarget extends ConversionTools {
  /** The group and the version. */
  readonly apiVersion: string;
}

const openSeal = (uid: string): string => labelOf(createHash('sha256').update(uid).digest('hex'));

const same = (content: VersionContent): VersionContent => content;

const legOf = ({ older, newer, conversion }: VersionStep, isUp: boolean): Leg => {
  const { up, down } = conversion ?? { up: same, down: same };
  return isUp ? { from: older, to: newer, there: up, back: down } : { from: newer, to: older, there: down, back: up };
};

const legsBetween = (shape: KindShape, from: number, to: number): readonly Leg[] => {
  const steps = shape.versions ?? [];
  return from <= to
    ? steps.slice(from, to).map((step) => legOf(step, true))
    : steps
        .slice(to, from)
        .toReversed()
        .map((step) => legOf(step, false));
};

/** Calls a conversion function. The function gets a copy of the content, so that it cannot change the object. */
const call = (leg: Leg, direction: 'there' | 'back', content: VersionContent): VersionContent => {
  const [from, to] = direction === 'there' ? [leg.from, leg.to] : [leg.to, leg.from];
  const what = `${from.version} to ${to.version}`;
  let result: unknown;
  try {
    result = leg[direction](structuredClone(content));
  } catch (error) {
    throw new ConversionError(what, '', tellable(error), { cause: error });
  }
  return assertContent(what, result);
};

const schemas = new WeakMap<VersionShape, JsonSchema>();

const readSchemas = ({ spec, status }: VersionShape): JsonSchema => ({
  type: 'object',
  required: ['spec', 'status'],
  properties: { spec: readSchema({ ...spec }), status: { ...readSchema({ ...status }), required: [] } },
});

const schemaOf = (version: VersionShape): JsonSchema => {
  const schema = schemas.get(version) ?? readSchemas(version);
  schemas.set(version, schema);
  return schema;
};

const asJson = ({ spec, status }: VersionContent): Json => ({ spec: spec as Json, status: status as Json });

/** The values that the next version cannot express: a conversion there and back changes these values. */
const lostBy = (leg: Leg, before: VersionContent, after: VersionContent): readonly Kept[] => {
  const seen = asJson(call(leg, 'back', after));
  return [...differences({ schema: schemaOf(leg.from), at: [], seen, was: asJson(before) })];
};

/**
 * Restores kept data. The values in the source version take precedence. Converted back to the source version, the restored object
 * must equal the source object, or `there` converted back.
 */
const withRestored = (leg: Leg, { content, there, kept }: Restorable, { matches }: ConversionTools): Restored => {
  if (kept.length === 0) return { content: there, lost: [] };
  const backOf = (value: VersionContent): Json | undefined => {
    try {
      return asJson(call(leg, 'back', value));
    } catch {
      return undefined;
    }
  };
  let plain: Json | undefined;
  const saysSame = (value: Json): boolean => {
    const seen = backOf(value as unknown as VersionContent);
    if (seen === undefined) return false;
    return equalJson(seen, asJson(content)) || equalJson(seen, (plain ??= backOf(there)));
  };
  const { value, lost } = salvage(asJson(there), kept, { schema: schemaOf(leg.to), matches, saysSame });
  return { content: assertContent(leg.to.version, value), lost };
};

const without = (kept: KeptByVersion, version: string): KeptByVersion =>
  Object.fromEntries(Object.entries(kept).filter(([name]) => name !== version));

const travel = (leg: Leg, { content, kept, unkept }: Parts, tools: ConversionTools): Parts => {
  const there = call(leg, 'there', content);
  const whole = withRestored(leg, { content, there, kept: kept[leg.to.version] ?? [] }, tools);
  const lost = lostBy(leg, content, whole.content);
  const rest = without(without(kept, leg.to.version), leg.from.version);
  return {
    content: whole.content,
    kept: lost.length === 0 ? rest : { ...rest, [leg.from.version]: lost },
    unkept: [...unkept, ...whole.lost],
  };
};

/** The fields that this library writes into every status. These fields are the same in all versions. */
const OWN_STATUS: ReadonlySet<string> = new Set(['conditions', 'observedGeneration']);

const split = (status: unknown, isOwn: boolean): JsonObject =>
  isPlainObject(status) ? Object.fromEntries(membersOf(status).filter(([name]) => OWN_STATUS.has(name) === isOwn)) : {};

const statusOf = (object: VersionedObject, content: VersionContent): { readonly status?: Json } => {
  const status = { ...split(object.status, true), ...(content.status as JsonObject) };
  const isNew = object.status === undefined && Object.keys(status).length === 0;
  return isNew ? {} : { status: status as Json };
};

const indexOf = (shape: KindShape, apiVersion: string): number => {
  const versions = versionsOf(shape);
  const index = versions.findIndex(({ version }) => apiVersionOf({ group: shape.group, version }) === apiVersion);
  if (index >= 0) return index;
  const known = versions.map(({ version }) => apiVersionOf({ group: shape.group, version })).join(', ');
  throw new ConversionError(apiVersion, 'apiVersion', `is no version of ${shape.kind}; known: ${known}`);
};

const INCOMPLETE =
  'the object has more than annotations can keep in this version, and a write in this version loses it: read and write it in another version';

const problemsOf = (
  shape: KindShape,
  { object, unkept }: { readonly object: VersionedObject; readonly unkept: readonly Kept[] },
  { brokenRules }: ConversionTools,
): readonly string[] => {
  const paths = [...new Set(unkept.map(pathOf))];
  const lost = `${paths.join(', ')} cannot be kept with this change: make it in ${shape.version}`;
  return [
    ...(isMarked(object.metadata) ? [`read the object again: its label ${INCOMPLETE_LABEL} is not valid`] : []),
    ...(paths.length > 0 ? [lost] : []),
    ...(brokenRules?.(shape, object) ?? []),
  ];
};

/**
 * Converts an object to another version of its kind.
 *
 * Flow: the object is converted step by step, each time to the next newer or older version. After each step it is converted back.
 * Data that do not return are kept in the annotation `cdk8s-reconcile/kept`. Data that an earlier conversion kept for the new
 * version are restored if their value has not changed. If the target is the version of the definition, which the API server
 * stores, a label marks an object with problems.
 *
 * Guarantees: a conversion there and back gives the same object, if the annotations have room for the kept data. In the metadata,
 * only annotations and labels of this library change. Fields other than apiVersion, metadata, spec and status do not change. Kept
 * data never change values that the source version can express. The time is proportional to the size of the object. A conversion
 * to a version that the API server does not store never fails because of the size of the kept data.
 *
 * @param shape - the kind, with its versions
 * @param object - an object in any of these versions
 * @param target - the requested version, and the functions for the conversion
 * @throws {ConversionError} when a conversion function throws, or returns a value other than `{ spec, status }` in JSON
 * @throws {ConversionError} when a version is unknown
 * @throws {ConversionError} when the object would be stored without kept data
 */
export const convertObject = (
  shape: KindShape,
  object: VersionedObject,
  { apiVersion, ...tools }: ConversionTarget,
): VersionedObject => {
  const [from, to] = [indexOf(shape, object.apiVersion), indexOf(shape, apiVersion)];
  if (from === to) return object;
  const isStored = versionsOf(shape)[to]?.version === shape.version;
  const { seal = openSeal } = tools;
  if (isStored && isIncomplete(object.metadata, seal)) throw new ConversionError(object.apiVersion, '', INCOMPLETE);
  const annotations = isPlainObject(object.metadata['annotations']) ? object.metadata['annotations'] : {};
  const kept = readKept(annotations[KEPT_ANNOTATION]);
  const { spec = {}, status: _, ...rest } = object;
  const start: Parts = { content: { spec, status: split(object.status, false) }, kept, unkept: [] };
  const legs = legsBetween(shape, from, to);
  const { content, ...parts } = legs.reduce((reached, leg) => travel(leg, reached, tools), start);
  const converted = {
    ...rest,
    apiVersion,
    kind: object.kind,
    spec: content.spec as Json,
    ...statusOf(object, content),
  };
  const problems = isStored ? problemsOf(shape, { object: converted, unkept: parts.unkept }, tools) : [];
  const notes = { kept: parts.kept, problems, seal };
  return {
    ...converted,
    metadata: hasNotes(object.metadata, notes) ? withNotes(object.metadata, notes) : object.metadata,
  };
};
