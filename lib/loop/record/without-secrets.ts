import { hash } from 'node:crypto';
import { isPlainObject } from '#lib/kind/json.ts';
import type { KubeObject } from '#lib/kind/reference.ts';

const MEMBERS = ['data', 'stringData'] as const;
const SHOWN = 8;

/** Salted per process, so that nobody finds a weak password by trying all. */
const salt = crypto.randomUUID();

/** Equal for equal values of one process, so that a function that compares them still can. */
const hidden = (value: unknown): string =>
  `(redacted ${hash('sha256', `${salt} ${JSON.stringify(value)}`, 'hex').slice(0, SHOWN)})`;

/** An object without the values of a Secret; any other as it is. */
export const withoutSecrets = <O extends KubeObject>(object: O): O => {
  if (object.kind !== 'Secret' || object.apiVersion !== 'v1') return object;
  const entries = MEMBERS.flatMap((name): [string, unknown][] => {
    const values = (object as Readonly<Record<string, unknown>>)[name];
    if (!isPlainObject(values)) return [];
    return [[name, Object.fromEntries(Object.entries(values).map(([key, value]) => [key, hidden(value)]))]];
  });
  return { ...object, ...Object.fromEntries(entries) };
};
