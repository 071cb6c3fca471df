import { isTooDeep } from '#lib/apiserver/machinery/validation/depth.ts';
import { equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';
import { patchDoesNotApply } from '../errors.ts';

type Operation = JsonObject;

/** An object or a list inside the document. A container is copied before it is changed. */
type Container = Record<string, unknown> | unknown[];

const textIn = (operation: Operation, name: string): string => {
  const value = operation[name];
  if (typeof value === 'string') return value;
  throw patchDoesNotApply();
};

/** The value of an operation. An absent value counts as null, as in the library of the real server. */
const valueOf = (operation: Operation): unknown => operation['value'] ?? null;

const unescape = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

const copyOf = (value: unknown): Container => {
  if (Array.isArray(value)) return [...(value as unknown[])];
  if (isPlainObject(value)) return { ...value };
  throw patchDoesNotApply();
};

/** Parses an index, which must be below `limit`. A negative index counts from the end. */
const indexIn = (key: string, limit: number): number => {
  if (!/^[+-]?\d+$/.test(key)) throw patchDoesNotApply();
  const index = Number(key);
  const position = index < 0 ? index + limit : index;
  if (position < 0 || position >= limit) throw patchDoesNotApply();
  return position;
};

const get = (container: Container, key: string): unknown => {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  return container[indexIn(key, container.length)];
};

const set = (container: Container, key: string, value: unknown): void => {
  if (Array.isArray(container)) container[indexIn(key, container.length)] = value;
  else Object.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true });
};

const add = (container: Container, key: string, value: unknown): void => {
  if (!Array.isArray(container)) set(container, key, value);
  else if (key === '-') container.push(value);
  else container.splice(indexIn(key, container.length + 1), 0, value);
};

const remove = (container: Container, key: string): void => {
  if (Array.isArray(container)) container.splice(indexIn(key, container.length), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw patchDoesNotApply();
};

/**
 * The limit of the bytes that all `copy` operations of a patch add. Without the limit, each copy could double the size.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/server/config.go (`JSONPatchMaxCopyBytes`)
 */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

class Draft {
  root: Container;
  #copiedBytes = 0;

  constructor(document: JsonObject) {
    this.root = { ...document };
  }

  /**
   * Returns the container of the value to which a JSON pointer refers, and the key in this container. Copies the containers on
   * the path, because the caller may change them.
   */
  find(pointer: string): readonly [Container, string] {
    const parts = pointer.split('/').slice(1).map(unescape);
    const key = parts.pop();
    if (key === undefined) throw patchDoesNotApply();
    let container = this.root;
    for (const part of parts) {
      const copy = copyOf(get(container, part));
      set(container, part, copy);
      container = copy;
    }
    return [container, key];
  }

  read(pointer: string): unknown {
    const [container, key] = this.find(pointer);
    return get(container, key);
  }

  /** Returns the value to copy. */
  readCopy(pointer: string): unknown {
    const value = this.read(pointer) ?? null;
    if (isTooDeep(value)) throw patchDoesNotApply();
    this.#copiedBytes += Buffer.byteLength(JSON.stringify(value));
    if (this.#copiedBytes > MAX_COPIED_BYTES) throw patchDoesNotApply();
    return value;
  }
}

const test = (draft: Draft, operation: Operation): void => {
  const path = textIn(operation, 'path');
  const found = path === '' ? draft.root : draft.read(path);
  if (!equalJson(found ?? null, valueOf(operation))) throw patchDoesNotApply();
};

const replace = (draft: Draft, operation: Operation): void => {
  const path = textIn(operation, 'path');
  if (path === '') {
    draft.root = copyOf(valueOf(operation));
    return;
  }
  const [container, key] = draft.find(path);
  set(container, key, valueOf(operation));
};

const addAt = (draft: Draft, path: string, value: unknown): void => {
  const [container, key] = draft.find(path);
  add(container, key, value);
};

const STEPS: Readonly<Record<string, (draft: Draft, operation: Operation) => void>> = {
  add: (draft, operation) => addAt(draft, textIn(operation, 'path'), valueOf(operation)),
  remove: (draft, operation) => remove(...draft.find(textIn(operation, 'path'))),
  replace,
  test,
  move: (draft, operation) => {
    const [container, key] = draft.find(textIn(operation, 'from'));
    const value = get(container, key) ?? null;
    remove(container, key);
    addAt(draft, textIn(operation, 'path'), value);
  },
  copy: (draft, operation) => {
    addAt(draft, textIn(operation, 'path'), draft.readCopy(textIn(operation, 'from')));
  },
};

/**
 * Applies a JSON patch (RFC 6902), with three deviations of the library of the real server. Negative indices count from the end.
 * `replace` may add a member. Absent values count as null.
 *
 * @see gopkg.in/evanphx/json-patch.v4 v4.13.0 patch.go
 * @returns the patched document; `document` is unchanged
 * @throws {StatusError} 422 when an operation is malformed or does not apply
 */
export const jsonPatch = (document: JsonObject, operations: readonly Operation[]): unknown => {
  const draft = new Draft(document);
  for (const operation of operations) {
    const { op } = operation;
    const step = typeof op === 'string' && Object.hasOwn(STEPS, op) ? STEPS[op] : undefined;
    if (step === undefined) throw patchDoesNotApply();
    step(draft, operation);
  }
  if (isTooDeep(draft.root)) throw patchDoesNotApply();
  return draft.root;
};
