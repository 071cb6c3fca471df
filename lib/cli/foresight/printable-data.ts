import { isPlainObject } from '#lib/json.ts';
import { printable } from '../output.ts';

const clean = (value: unknown): unknown => {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(clean);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [printable(name), clean(member)]));
};

/** Data of others as {@link printable} makes texts: afterwards any of it may be painted and shown in a terminal. */
export const printableData = <T>(data: T): T => clean(data) as T;
