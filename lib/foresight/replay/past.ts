import { type FieldChange, valueChanges } from '#lib/foresight/plan/field-changes.ts';
import type { JsonObject } from '#lib/json.ts';
import type { PassRecord, RecordedAnswer, RecordedChild } from '#lib/loop/record/pass-record.ts';
import type { RecordedPass } from './read-records.ts';

/** A part of the input, such as a child or the answer of a look-up, that differs between two passes of a resource. */
export interface InputChange {
  /** The changed part of the input, such as `Pod web-1`, `the resource`, or a look-up. */
  readonly what: string;
  readonly change: 'appeared' | 'disappeared' | 'changed';
  /** The changed fields, relative to the object; empty unless `change` is `changed`. */
  readonly fields: readonly FieldChange[];
}

/** A resource as one recorded pass observed it, and the decision of that pass. */
export interface PastResource {
  readonly kind: string;
  /** The key of the resource: `<namespace>/<name>`. */
  readonly key: string;
  readonly pass: number;
  /** The time of the pass, RFC 3339. The resource is shown as it was at this time. */
  readonly at: string;
  /** The observed resource; absent if the record of the pass was too large. */
  readonly resource?: PassRecord['resource'];
  readonly children: readonly RecordedChild[];
  /** The number of the previous recorded pass of the resource; absent if there is none. */
  readonly since?: number;
  /**
   * The differences between the input of the previous recorded pass and of this pass; empty without a previous pass, or if one
   * record is incomplete.
   */
  readonly changes: readonly InputChange[];
  /** The decision with its steps and reasons; absent if the record of the pass was too large. */
  readonly answer?: RecordedAnswer;
  /** The reason why the record is incomplete; absent for a complete record. */
  readonly incomplete?: string;
}

const isComplete = (record: RecordedPass): record is PassRecord => 'resource' in record;

/** An object without its resource version and generation. They change with other fields, so their change alone is no cause. */
const withoutVersion = (object: object): JsonObject => {
  const { metadata, ...rest } = object as { readonly metadata?: JsonObject };
  const { resourceVersion: _, generation: __, ...others } = metadata ?? {};
  return { ...rest, metadata: others };
};

/** The parts of the input of a pass by name. */
const inputOf = ({ resource, children, orphans, lookups, refused, outcomes }: PassRecord): Map<string, JsonObject> => {
  const { spec, metadata } = resource as unknown as { readonly spec?: unknown; readonly metadata: JsonObject };
  const objects = (role: string, all: readonly RecordedChild[]): (readonly [string, JsonObject])[] =>
    all.map(({ kind, object }) => [`${role}${kind} ${object.metadata?.name}`, withoutVersion(object)]);
  return new Map<string, JsonObject>([
    ['the resource', withoutVersion({ metadata, spec })],
    ...objects('', children),
    ...objects('orphan ', orphans),
    ...lookups.map(({ question, objects: found }) => [`look-up ${question}`, { found }] as const),
    ...refused.map((refusal) => {
      const { attempts: _, at: __, ...rest } = refusal;
      return [`refusal ${refusal.verb} ${refusal.kind} ${refusal.name}`, rest] as const;
    }),
    ...outcomes.map(({ effect, key, told }) => [`outcome ${effect} ${key}`, { told }] as const),
  ]);
};

const changesBetween = (before: PassRecord, after: PassRecord): readonly InputChange[] => {
  const [old, now] = [inputOf(before), inputOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((what): InputChange[] => {
    const [then, today] = [old.get(what), now.get(what)];
    if (then === undefined) return [{ what, change: 'appeared', fields: [] }];
    if (today === undefined) return [{ what, change: 'disappeared', fields: [] }];
    const fields = valueChanges(then, today);
    return fields.length === 0 ? [] : [{ what, change: 'changed', fields }];
  });
};

const pastOf = (record: RecordedPass, before: RecordedPass | undefined): PastResource => {
  const { kind, key, pass, at } = record;
  const named = { kind, key, pass, at, ...(before && { since: before.pass }) };
  if (!isComplete(record)) return { ...named, children: [], changes: [], incomplete: record.unreplayable };
  const { resource, children, answer } = record;
  const changes = before && isComplete(before) ? changesBetween(before, record) : [];
  return { ...named, resource, children, changes, answer };
};

/**
 * Returns, for each resource, its last recorded pass that was not after a time, in the order of kinds and keys.
 *
 * @param records - the records of one or more processes, in any order
 * @param atMs - the time, in epoch milliseconds
 */
export const pastResources = (records: readonly RecordedPass[], atMs: number): readonly PastResource[] => {
  const timed = records
    .map((record) => ({ record, ms: Date.parse(record.at) }))
    .filter(({ ms }) => ms <= atMs)
    .toSorted((a, b) => a.ms - b.ms || a.record.pass - b.record.pass);
  const byResource = Map.groupBy(timed, ({ record: { apiVersion, kind, key } }) => `${apiVersion} ${kind} ${key}`);
  return [...byResource]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, passes]) => {
      const [last, before] = passes.toReversed();
      return last === undefined ? [] : [pastOf(last.record, before?.record)];
    });
};
