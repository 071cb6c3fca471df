import { isPlainObject } from '#lib/json.ts';
import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';

/**
 * The steps to a field. `[]` stands for each element of a list. `*` stands for each member that is no property of the schema,
 * such as a key of a map.
 */
export type StatusPath = readonly string[];

const ELEMENT = '[]';
const ANY_KEY = '*';

/**
 * The path element for a member. All keys that the schema does not name have the same element, so that a path stays valid for new
 * keys.
 */
const stepOf = (schema: JsonSchema | undefined, name: string): string =>
  schema?.properties !== undefined && Object.hasOwn(schema.properties, name) ? name : ANY_KEY;

const belowStep = (schema: JsonSchema | undefined, step: string): JsonSchema | undefined => {
  if (step === ELEMENT) return schema?.items;
  if (step !== ANY_KEY) return schema?.properties?.[step];
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
};

/** The text of a path, such as `canary.weight`, `pods[].node` or `weights.*`. */
export const statusPathText = (path: StatusPath): string => path.join('.').replaceAll(`.${ELEMENT}`, ELEMENT);

/** A place in a status: the schema at this place, and the path to it. */
export interface StatusPlace {
  readonly schema: JsonSchema | undefined;
  readonly path: StatusPath;
}

const within = ({ schema, path }: StatusPlace, step: string): StatusPlace => ({
  schema: belowStep(schema, step),
  path: [...path, step],
});

const memberOf = (place: StatusPlace, name: string): StatusPlace => within(place, stepOf(place.schema, name));

/**
 * The fields of `sent` that are missing in `stored`. Lists of equal length are compared by position; other lists are not
 * compared.
 */
export const missingFields = (sent: unknown, stored: unknown, place: StatusPlace): readonly StatusPath[] => {
  if (isPlainObject(sent))
    return Object.entries(sent).flatMap(([name, value]) => {
      const below = isPlainObject(stored) && Object.hasOwn(stored, name) ? stored[name] : undefined;
      const member = memberOf(place, name);
      return below === undefined ? [member.path] : missingFields(value, below, member);
    });
  if (!Array.isArray(sent) || !Array.isArray(stored) || sent.length !== stored.length) return [];
  return sent.flatMap((element, index) => missingFields(element, stored[index], within(place, ELEMENT)));
};

/** Returns the value without the given fields. */
export const withoutFields = (value: unknown, fields: Fields, place: StatusPlace): unknown => {
  if (Array.isArray(value)) return value.map((element) => withoutFields(element, fields, within(place, ELEMENT)));
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => ({ name, member, at: memberOf(place, name) }));
  const kept = members.filter(({ at }) => !fields.has(pathId(at.path)));
  return Object.fromEntries(kept.map(({ name, member, at }) => [name, withoutFields(member, fields, at)]));
};

/** Whether a value has the field at `path`, which is relative to the value. */
export const hasField = (value: unknown, { schema, path: [step, ...rest] }: StatusPlace): boolean => {
  if (step === undefined) return true;
  const below = { schema: belowStep(schema, step), path: rest };
  if (Array.isArray(value)) return step === ELEMENT && value.some((element) => hasField(element, below));
  if (!isPlainObject(value)) return false;
  return Object.entries(value).some(([name, member]) => stepOf(schema, name) === step && hasField(member, below));
};

/** Fields by the key that {@link pathId} makes. */
type Fields = ReadonlyMap<string, StatusPath>;

/** A path as a string, for the key of a map. */
export const pathId = (path: StatusPath): string => JSON.stringify(path);
