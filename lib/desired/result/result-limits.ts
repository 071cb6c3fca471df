import type { Issue } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { effectsIssues } from './effect-check.ts';
import { jsonFault } from './json-check.ts';
import { limits } from './limits.ts';

const wrong = (path: string, message: string, value: unknown): Issue => ({ path, message, value, rule: 'limits' });

const countIssues = (result: JsonObject): Issue[] =>
  (['children', 'conditions', 'events'] as const).flatMap((name) => {
    const list = result[name];
    if (!Array.isArray(list) || list.length <= limits[name]) return [];
    return [wrong(name, `must not be more than ${limits[name]}`, list.length)];
  });

/** Issues of objects. Only `apply` sends an object. */
const objectIssues = ({ children }: JsonObject): Issue[] => {
  if (!Array.isArray(children)) return [];
  return children.flatMap((intent: unknown, index) => {
    if (!isPlainObject(intent) || intent['verb'] !== 'apply' || !isPlainObject(intent['object'])) return [];
    const fault = jsonFault(intent['object']);
    if (!fault) return [];
    const { path, message, value } = fault;
    return [wrong(`children[${index}].object${path && `.${path}`}`, message, value)];
  });
};

const statusIssues = ({ status }: JsonObject): Issue[] => {
  if (!isPlainObject(status)) return [];
  const fault = jsonFault(status);
  if (fault) return [wrong(fault.path === '' ? 'status' : `status.${fault.path}`, fault.message, fault.value)];
  const bytes = Buffer.byteLength(JSON.stringify(status));
  if (bytes <= limits.statusBytes) return [];
  return [wrong('status', `must not be larger than ${limits.statusBytes} bytes as JSON`, `${bytes} bytes`)];
};

/**
 * What is too much, too large, or not JSON in a function's result.
 *
 * @param result - what it returned; only what has the right form is looked at
 */
export const limitIssues = (result: JsonObject): Issue[] => {
  const tooMany = countIssues(result);
  if (tooMany.length > 0) return tooMany;
  return [...objectIssues(result), ...statusIssues(result), ...effectsIssues(result['effects'])];
};
