import { equalJson, isPlainObject, type Json, type JsonObject, membersOf } from '#lib/json.ts';
import { readSchema } from '#lib/kind/json-schema.ts';
import { apiVersionOf } from '#lib/kind/names.ts';
import type { KindShape, VersionShape } from '#lib/kind/shape.ts';
import { checkValue } from '#lib/kind/value/check.ts';
import type { VersionContent, VersionStep } from '#lib/kind/versions/between.ts';
import { versionsOf } from '#lib/kind/versions/chain.ts';
import { withKept } from './annotate.ts';
import { ConversionError, tellable } from './error.ts';
import { differences, KEPT_ANNOTATION, type Kept, type KeptByVersion, readKept, restored } from './kept.ts';
import { assertContent } from './result.ts';

/** An object of a kind in one of its versions, as the API server sends it. */
export interface VersionedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject;
  readonly spec?: Json;
  readonly status?: Json;
  readonly [field: string]: unknown;
}

/** From one version to its neighbour. */
interface Leg {
  readonly from: VersionShape;
  readonly to: VersionShape;
  readonly there: (content: VersionContent) => VersionContent;
  readonly back: (content: VersionContent) => VersionContent;
}

/** What an object consists of, besides its metadata. */
interface Parts {
  readonly content: VersionContent;
  readonly kept: KeptByVersion;
}

const same = (content: VersionContent): VersionContent => content;

const legOf = ({ older, newer, conversion }: VersionStep, isUp: boolean): Leg => {
  const { up, down } = conversion ?? { up: same, down: same };
  return isUp ? { from: older, to: newer, there: up, back: down } : { from: newer, to: older, there: down, back: up };
};

/** The steps to take, in the order in which they are taken. */
const legsBetween = (shape: KindShape, from: number, to: number): readonly Leg[] => {
  const steps = shape.versions ?? [];
  return from <= to
    ? steps.slice(from, to).map((step) => legOf(step, true))
    : steps
        .slice(to, from)
        .toReversed()
        .map((step) => legOf(step, false));
};

/** Functions get a copy of their own, whatever they do to it. */
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

const schemaOf = ({ spec, status }: VersionShape) => ({
  type: 'object',
  required: ['spec', 'status'],
  properties: { spec: readSchema({ ...spec }), status: { ...readSchema({ ...status }), required: [] } },
});

const asJson = ({ spec, status }: VersionContent): Json => ({ spec: spec as Json, status: status as Json });

/** What the neighbour cannot express: what does not come back from it. */
const lostBy = (leg: Leg, before: VersionContent, after: VersionContent): readonly Kept[] => {
  const seen = asJson(call(leg, 'back', after));
  return [...differences({ schema: schemaOf(leg.from), at: [], seen, was: asJson(before) })];
};

/** How often values are checked for one object; somebody may have written thousands of entries that do not fit. */
const MAX_CHECKS = 100;

/**
 * Puts back what was kept. The annotation can be written by whoever may write the object, and the API server checks values only in
 * the version in which they are written: what breaks the schema is let go, halves first, so that the rest is put back. What the
 * object breaks without it, as an edit in the other version does, is nobody's fault here.
 */
const withRestored = (at: VersionShape, content: VersionContent, kept: readonly Kept[]): VersionContent => {
  if (kept.length === 0) return content;
  const schema = schemaOf(at);
  const problems = (value: Json): string[] => checkValue(schema, value).map(({ path, rule }) => `${rule} ${path}`);
  const known = new Set(problems(asJson(content)));
  let checks = 0;
  const put = (value: Json, entries: readonly Kept[]): Json => {
    checks += 1;
    if (checks > MAX_CHECKS) return value;
    const whole = restored(value, entries);
    if (problems(whole).every((problem) => known.has(problem))) return whole;
    const half = Math.floor(entries.length / 2);
    return half === 0 ? value : put(put(value, entries.slice(0, half)), entries.slice(half));
  };
  return assertContent(at.version, put(asJson(content), kept));
};

const without = (kept: KeptByVersion, version: string): KeptByVersion =>
  Object.fromEntries(Object.entries(kept).filter(([name]) => name !== version));

const travel = (leg: Leg, { content, kept }: Parts): Parts => {
  const there = call(leg, 'there', content);
  const whole = withRestored(leg.to, there, kept[leg.to.version] ?? []);
  const lost = lostBy(leg, content, whole);
  const rest = without(without(kept, leg.to.version), leg.from.version);
  return { content: whole, kept: lost.length === 0 ? rest : { ...rest, [leg.from.version]: lost } };
};

/** What the library itself writes into every status, the same in all versions. */
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

/**
 * Writes an object in another version of its kind.
 *
 * Flow: from neighbour to neighbour. After each step the way back is gone: what does not come back is kept in the annotation
 * `cdk8s-reconcile/kept`, and what was kept for the version that is reached is put back where nobody changed it.
 *
 * Guarantees: there and back again gives the same object; nothing of the metadata changes but that annotation. Fields beside
 * spec and status stay.
 *
 * @param shape - the kind, with its versions
 * @param object - in any of them
 * @param apiVersion - the one that is wanted
 * @throws {ConversionError} naming the field, when a function throws or returns what is no JSON, a version is
 *   unknown, or what is to be kept does not fit into annotations
 */
export const convertObject = (shape: KindShape, object: VersionedObject, apiVersion: string): VersionedObject => {
  const [from, to] = [indexOf(shape, object.apiVersion), indexOf(shape, apiVersion)];
  if (from === to) return object;
  const annotations = isPlainObject(object.metadata['annotations']) ? object.metadata['annotations'] : {};
  const kept = readKept(annotations[KEPT_ANNOTATION]);
  const { spec = {}, status: _, ...rest } = object;
  const start: Parts = { content: { spec, status: split(object.status, false) }, kept };
  const { content, kept: left } = legsBetween(shape, from, to).reduce((parts, leg) => travel(leg, parts), start);
  const metadata = equalJson(kept, left) ? object.metadata : withKept(apiVersion, object.metadata, left);
  return { ...rest, apiVersion, kind: object.kind, metadata, spec: content.spec as Json, ...statusOf(object, content) };
};
