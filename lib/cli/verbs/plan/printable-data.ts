import { isPlainObject } from '#lib/json.ts';
import { printable } from '../../shell/output.ts';

const clean = (value: unknown): unknown => {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(clean);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [printable(name), clean(member)]));
};

/** Applies {@link printable} to every string of the data, so that the data is safe for a terminal. */
export const printableData = <T>(data: T): T => clean(data) as T;
