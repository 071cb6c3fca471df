import { childPath, isPlainObject } from '#lib/json.ts';
import { limits } from './limits.ts';
import { SharedParts } from './shared-parts.ts';

/** A fault of a value that the loop would send, and the path of the fault. */
export interface JsonFault {
  readonly path: string;
  readonly message: string;
  readonly value: unknown;
}

interface Walk {
  /** The approximate number of characters of JSON so far. */
  size: number;
  /** The greatest depth so far inside the object or list that {@link visitPart} is checking. */
  deepest: number;
  fault: JsonFault | undefined;
  /** The names and indexes that lead to the current value. The path becomes text only for a fault. */
  readonly steps: (string | number)[];
  readonly parts: SharedParts;
}

const pathOf = ({ steps }: Walk): string =>
  steps.reduce<string>((path, step) => (typeof step === 'number' ? `${path}[${step}]` : childPath(path, step)), '');

/** True for `__proto__`. Code that copies such a member could change the prototype of the copy. */
const isTreacherous = (name: string | number): boolean => name === '__proto__';

const scalarFault = (value: unknown): string | undefined => {
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return undefined;
  return 'must be JSON: objects, lists, texts, finite numbers, true, false and null';
};

/** Describes a value in a message: a number by itself, such as `NaN`, and another value only by its type, `[object Date]`. */
const tagOf = (value: unknown): string =>
  typeof value === 'number' ? `${value}` : Object.prototype.toString.call(value);

/**
 * Checks an object or a list. If the same large object was checked in this result without a fault, its members are not visited
 * again, as long as its size and its depth fit into the limits here, too.
 */
const visitPart = (walk: Walk, part: object, depth: number): void => {
  const { size: before, deepest, parts } = walk;
  const known = parts.extentOf(part);
  if (known && before + known.size <= limits.objectBytes && depth + known.height <= limits.depth) {
    walk.size += known.size;
    walk.deepest = Math.max(deepest, depth + known.height);
    return;
  }
  walk.deepest = depth;
  visitMembers(walk, part, depth);
  if (!walk.fault) parts.remember(part, { size: walk.size - before, height: walk.deepest - depth });
  walk.deepest = Math.max(deepest, walk.deepest);
};

const visitMembers = (walk: Walk, value: object, depth: number): void => {
  if (depth > limits.depth) {
    const message = `must not be deeper than ${limits.depth} levels, or contain itself`;
    walk.fault = { path: pathOf(walk), message, value: '…' };
    return;
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && !walk.fault; index += 1)
      visitStep(walk, index, value[index] ?? null, depth);
    return;
  }
  for (const name of Object.keys(value)) {
    if (walk.fault) return;
    walk.size += name.length + 3;
    walk.parts.countText(name);
    visitStep(walk, name, (value as Record<string, unknown>)[name], depth);
  }
};

const visitStep = (walk: Walk, step: string | number, member: unknown, depth: number): void => {
  walk.steps.push(step);
  if (isTreacherous(step)) walk.fault = { path: pathOf(walk), message: 'must have another name', value: step };
  else visit(walk, member, depth);
  walk.steps.pop();
};

const visit = (walk: Walk, value: unknown, depth: number): void => {
  walk.size += typeof value === 'string' ? value.length + 3 : 2;
  walk.parts.count(value);
  if (value === null || value === undefined) return;
  if (walk.size > limits.objectBytes) walk.fault ??= tooLarge(walk.size);
  else if (Array.isArray(value) || isPlainObject(value)) visitPart(walk, value, depth + 1);
  else {
    const message = scalarFault(value);
    if (message !== undefined) walk.fault = { path: pathOf(walk), message, value: tagOf(value) };
  }
};

const tooLarge = (bytes: number): JsonFault => ({
  path: '',
  message: `must not be larger than ${limits.objectBytes} bytes as JSON; split it, or move content to where it is mounted from`,
  value: `${bytes} bytes or more`,
});

/**
 * The maximum number of bytes of JSON for one character of `Walk.size`. A number counts as two characters, and has at most 25 bytes
 * with its comma. A control character, such as `\u0001`, has six bytes.
 */
const MOST_BYTES = 13;

/**
 * Finds values that cannot be sent as JSON, are nested too deeply, or are too large to be stored. Also finds members named
 * `__proto__`. Members with the value undefined count as absent.
 *
 * @param value - an object that a function built
 * @param parts - the checked parts of the other objects of the same result. @default none
 * @returns the first fault, with its path below the object
 * @throws the errors of getters
 */
export const jsonFault = (value: object, parts = new SharedParts()): JsonFault | undefined => {
  const walk: Walk = { size: 0, deepest: 0, fault: undefined, steps: [], parts };
  visit(walk, value, 0);
  if (walk.fault || walk.size * MOST_BYTES <= limits.objectBytes) return walk.fault;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes > limits.objectBytes ? tooLarge(bytes) : undefined;
};
