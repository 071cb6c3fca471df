import { instantOf } from '#lib/desired/clock.ts';
import type { Key } from './key.ts';

/** One resource. A later resource with the same name has another uid, and starts with an empty memory. */
export interface RememberedResource {
  readonly key: Key;
  readonly uid: string;
}

/** The values of all slots for one resource, by the name of the slot. */
interface Memory {
  readonly uid: string;
  readonly values: Record<string, unknown>;
}

/** The memory of the loop about its resources, between passes. After a restart, the loop works correctly with an empty memory. */
export type Memories = Map<Key, Memory>;

/** The part of a context that contains the memory. */
export interface Remembering {
  readonly memory: Memories;
}

/** Access to one value in the memory of each resource. Each slot belongs to one mechanism of the loop. */
export interface Slot<T> {
  /** The remembered value; the empty value if no value is remembered. */
  get(remembering: Remembering, place: RememberedResource): T;
  /**
   * Replaces the remembered value. An empty collection is stored as the empty value. All memory of an earlier resource with the
   * same name is dropped.
   */
  set(remembering: Remembering, place: RememberedResource, value: T): void;
}

/** The empty value of a slot, and its form in bug reports. */
export interface MemorySlotOptions<T> {
  /** The value for all resources without a remembered value. These resources share the value, so no caller may change it. */
  readonly empty: T;
  /** Converts the value to JSON; undefined for a value that is not shown. @default no value is shown */
  readonly inspect?: (value: NonNullable<T>) => unknown;
}

const shown = new Map<string, (value: unknown) => unknown>();

const sizeOf = (value: unknown): number | undefined => {
  if (Array.isArray(value)) return value.length;
  return value instanceof Map || value instanceof Set ? value.size : undefined;
};

/**
 * Declares a slot of the memory. Called once for each slot, when the module of the slot is loaded.
 *
 * @param name - the name of the slot in the output of `inspect`. No other slot may have the name.
 */
export const slot = <T>(name: string, { empty, inspect = () => undefined }: MemorySlotOptions<T>): Slot<T> => {
  shown.set(name, (value) => inspect(value as NonNullable<T>));
  const isEmpty = (value: T): boolean => value === empty || (sizeOf(empty) === 0 && sizeOf(value) === 0);
  return {
    get: ({ memory }, { key, uid }) => {
      const held = memory.get(key);
      const value = held?.uid === uid ? held.values[name] : undefined;
      return value === undefined ? empty : (value as T);
    },
    set: ({ memory }, { key, uid }, value) => {
      const held = memory.get(key);
      const values = held?.uid === uid ? held.values : {};
      // Empty values are not stored, so that they take no memory.
      if (!isEmpty(value)) values[name] = value;
      else if (name in values) values[name] = undefined;
      if (Object.values(values).every((each) => each === undefined)) memory.delete(key);
      else if (held?.uid !== uid) memory.set(key, { uid, values });
    },
  };
};

const MICROS_PER_MILLI = 1000;

/** A time as RFC 3339 text, for {@link MemorySlotOptions.inspect}. */
export const isoOf = (epochMs: number): string => instantOf(Math.round(epochMs * MICROS_PER_MILLI));

/** A copy of an object in which the given members are RFC 3339 texts in place of epoch milliseconds. */
export const withTimes = <T extends object>(value: T, ...moments: readonly (keyof T)[]): object =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'number' && moments.includes(name as keyof T) ? isoOf(member) : (member as unknown),
    ]),
  );

/** The memory of all resources as JSON, by key, without the slots that show no value. */
export const inspectMemory = ({ memory }: Remembering): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...memory].map(([key, { uid, values }]) => {
      const entries = Object.entries(values).flatMap(([name, value]) => {
        const view = value === undefined ? undefined : shown.get(name)?.(value);
        return view === undefined ? [] : [[name, view] as const];
      });
      return [key, { uid, ...Object.fromEntries(entries) }];
    }),
  );
