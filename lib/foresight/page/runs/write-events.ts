import type { ObjectName } from '#lib/foresight/cluster/live-object.ts';
import type { PlannedWrite } from '#lib/foresight/plan/planned-write.ts';
import { fieldValuesOf, reportFieldsBetween, reportFieldsOf } from '../field-values.ts';
import { fieldsInWords } from '../fields-in-words.ts';
import type { ReportEffect, ReportEvent, ReportField, ReportObject } from '../report-run.ts';

const keyOf = ({ apiVersion, kind, namespace, name }: ObjectName): string =>
  `${apiVersion} ${kind} ${namespace}/${name}`;

/** The objects of a page, without duplicates. */
export class PageObjects {
  readonly objects: ReportObject[] = [];
  readonly #indexes = new Map<string, number>();

  /** Whether {@link indexOf} was called for an object. */
  has(name: ObjectName): boolean {
    return this.#indexes.has(keyOf(name));
  }

  /** The index of an object. The first call adds the object. */
  indexOf(object: ObjectName): number {
    const { kind, namespace, name } = object;
    const key = keyOf(object);
    let index = this.#indexes.get(key);
    if (index === undefined) {
      this.#indexes.set(key, (index = this.objects.length));
      this.objects.push({ kind, name, ...(namespace !== '' && { namespace }) });
    }
    return index;
  }
}

const EFFECTS: Readonly<Record<PlannedWrite['action'], ReportEffect>> = {
  create: 'created',
  change: 'changed',
  status: 'changed',
  replace: 'changed',
  delete: 'deleted',
};

const fieldsOf = ({ object, fields }: PlannedWrite): readonly ReportField[] =>
  object === undefined ? reportFieldsOf(fields) : reportFieldsBetween(new Map(), fieldValuesOf(object));

const wordsOf = (
  { action, refused, alsoWithout, unverified }: PlannedWrite,
  fields: readonly ReportField[],
): string => {
  const done = action === 'change' || action === 'status' ? `${action}: ${fieldsInWords(fields)}` : action;
  const notes = [
    ...(refused === undefined ? [] : [`refused: ${refused.message}`]),
    ...(alsoWithout === true ? ['happens without the change, too'] : []),
    ...(unverified === true ? ['the real object may need no write'] : []),
  ];
  return [done, ...notes].join('; ');
};

/**
 * The planned writes of an operator as events. The event that caused a write is the last earlier change of its resource.
 *
 * @param writes - the writes, in order
 * @param objects - the objects of the page
 * @param before - the events before the writes
 */
export const writeEvents = (
  writes: readonly PlannedWrite[],
  objects: PageObjects,
  before: readonly ReportEvent[] = [],
): readonly ReportEvent[] => {
  const lastOf = new Map<number, number>();
  for (const [index, { object, sort }] of before.entries())
    if (object !== undefined && sort !== 'known') lastOf.set(object, index);
  const written = writes.map((write, place): ReportEvent => {
    const owner = objects.indexOf(write.owner);
    const object = objects.indexOf(write);
    const fields = fieldsOf(write);
    const cause = lastOf.get(owner);
    if (write.refused === undefined) lastOf.set(object, before.length + place);
    return {
      atMs: write.afterMs,
      sort: 'write',
      who: write.extension ?? 'operator',
      object,
      what: wordsOf(write, fields),
      why: write.reason,
      ...(write.refused === undefined ? { effect: EFFECTS[write.action] } : { isBad: true }),
      ...(owner !== object && { owner }),
      ...(cause !== undefined && { cause }),
      ...(fields.length > 0 && { fields }),
    };
  });
  return [...before, ...written];
};
