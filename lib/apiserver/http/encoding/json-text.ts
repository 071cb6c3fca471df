import type { JsonObject } from '#lib/json.ts';

const jsons = new WeakMap<object, string>();

/** Encodes an object as JSON. Frozen objects, such as all stored ones, are encoded once and then remembered. */
export const jsonOf = (object: JsonObject): string => {
  let json = jsons.get(object);
  if (json === undefined) {
    json = JSON.stringify(object);
    if (Object.isFrozen(object)) jsons.set(object, json);
  }
  return json;
};

/** Marks where the items of a list go. */
const NO_ITEMS = '"items":[]}';

/** Encodes an answer as JSON, a list item by item, because most items are remembered. */
export const jsonOfAnswer = (body: JsonObject): string => {
  const { items } = body;
  if (!Array.isArray(items)) return jsonOf(body);
  const empty = JSON.stringify({ ...body, items: [] });
  if (!empty.endsWith(NO_ITEMS)) return JSON.stringify(body);
  return `${empty.slice(0, -2)}${(items as readonly JsonObject[]).map(jsonOf).join(',')}]}`;
};
