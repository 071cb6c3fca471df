import type { JsonObject } from '#lib/json.ts';

const jsons = new WeakMap<object, string>();

/** Encodes an object as JSON. The text of a frozen object, such as a stored object, is cached. */
export const jsonOf = (object: JsonObject): string => {
  let json = jsons.get(object);
  if (json === undefined) {
    json = JSON.stringify(object);
    if (Object.isFrozen(object)) jsons.set(object, json);
  }
  return json;
};

/** The end of an encoded list without items. The items are inserted before its last two characters. */
const NO_ITEMS = '"items":[]}';

/** Encodes a response as JSON. A list is encoded item by item, because the texts of most items are cached. */
export const jsonOfAnswer = (body: JsonObject): string => {
  const { items } = body;
  if (!Array.isArray(items)) return jsonOf(body);
  const empty = JSON.stringify({ ...body, items: [] });
  if (!empty.endsWith(NO_ITEMS)) return JSON.stringify(body);
  return `${empty.slice(0, -2)}${(items as readonly JsonObject[]).map(jsonOf).join(',')}]}`;
};
