import type { JsonObject } from '#lib/json.ts';

const jsons = new WeakMap<object, string>();

/** An object as JSON. Many ask for the same: what is frozen, as all that is stored, is written once. */
export const jsonOf = (object: JsonObject): string => {
  let json = jsons.get(object);
  if (json === undefined) {
    json = JSON.stringify(object);
    if (Object.isFrozen(object)) jsons.set(object, json);
  }
  return json;
};

/** Where the items of a list belong. */
const NO_ITEMS = '"items":[]}';

/** An answer as JSON; the items of a list one by one, as most of them are known. */
export const jsonOfAnswer = (body: JsonObject): string => {
  const { items } = body;
  if (!Array.isArray(items)) return jsonOf(body);
  const empty = JSON.stringify({ ...body, items: [] });
  if (!empty.endsWith(NO_ITEMS)) return JSON.stringify(body);
  return `${empty.slice(0, -2)}${(items as readonly JsonObject[]).map(jsonOf).join(',')}]}`;
};
