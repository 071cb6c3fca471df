import type { Issue } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { effectsIssues } from './effect-check.ts';
import { jsonFault } from './json-check.ts';
import { limits } from './limits.ts';
import { SharedParts } from './shared-parts.ts';

const wrong = (path: string, message: string, value: unknown): Issue => ({ path, message, value, rule: 'limits' });

const countIssues = (result: JsonObject): Issue[] =>
  (['children', 'conditions', 'events'] as const).flatMap((name) => {
    const list = result[name];
    if (!Array.isArray(list) || list.length <= limits[name]) return [];
    return [wrong(name, `must not be more than ${limits[name]}`, list.length)];
  });

const MIB = 1024 * 1024;

const tooMuch = (index: number): Issue =>
  wrong(
    'children',
    `must not take more than ${limits.resultBytes / MIB} MiB of memory together: return fewer or smaller objects, or let them share their large parts`,
    `more, up to children[${index}]`,
  );

const objectIssues = ({ children }: JsonObject): Issue[] => {
  if (!Array.isArray(children)) return [];
  const parts = new SharedParts();
  const issues: Issue[] = [];
  for (const [index, intent] of (children as readonly unknown[]).entries()) {
    if (!isPlainObject(intent) || intent['verb'] !== 'apply' || !isPlainObject(intent['object'])) continue;
    const fault = jsonFault(intent['object'], parts);
    if (parts.bytes > limits.resultBytes) return [...issues, tooMuch(index)];
    if (!fault) continue;
    const { path, message, value } = fault;
    issues.push(wrong(`children[${index}].object${path && `.${path}`}`, message, value));
  }
  return issues;
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
 * Finds parts of the result of a function that are too many, too large, or not JSON; also invalid effects. If parts are too many,
 * only these are reported.
 *
 * @param result - the result; parts with an invalid form are skipped
 */
export const limitIssues = (result: JsonObject): Issue[] => {
  const tooMany = countIssues(result);
  if (tooMany.length > 0) return tooMany;
  return [...objectIssues(result), ...statusIssues(result), ...effectsIssues(result['effects'])];
};
