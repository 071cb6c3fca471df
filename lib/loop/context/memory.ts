import { instantOf } from '#lib/desired/clock.ts';
import type { Key } from './key.ts';

/** One resource: a later one of the same name inherits nothing. */
export interface RememberedResource {
  readonly key: Key;
  readonly uid: string;
}

/** The values of all slots for one resource, by the name of the slot. */
interface Memory {
  readonly uid: string;
  readonly values: Record<string, unknown>;
}

/** The loop's memory of resources between passes; lost at a restart without harm. */
export type Memories = Map<Key, Memory>;

/** The place of memories in a context. */
export interface Remembering {
  readonly memory: Memories;
}

/** One mechanism's memory of each resource. */
export interface Slot<T> {
  /** The remembered value; that of an unknown resource is the empty one. */
  get(remembering: Remembering, place: RememberedResource): T;
  /**
   * Replaces the remembered value; an empty collection is the empty one. Whatever is remembered of an earlier resource of the same
   * name goes.
   */
  set(remembering: Remembering, place: RememberedResource, value: T): void;
}

/** How a slot begins, and how bug reports show it. */
export interface MemorySlotOptions<T> {
  /** Shared by all resources of which nothing is remembered: it must not be changed. */
  readonly empty: T;
  /** The value as JSON; undefined for one that is not worth showing. @default not shown */
  readonly inspect?: (value: NonNullable<T>) => unknown;
}

const shown = new Map<string, (value: unknown) => unknown>();

/** The number of entries of a collection; undefined for anything else. */
const sizeOf = (value: unknown): number | undefined => {
  if (Array.isArray(value)) return value.length;
  return value instanceof Map || value instanceof Set ? value.size : undefined;
};

/**
 * Declares the memory of one mechanism per resource. Called once per mechanism, when its module is loaded.
 *
 * @param name - of this mechanism alone; `inspect` shows it
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
      // Most resources are at rest: of thousands of them nothing is kept.
      if (!isEmpty(value)) values[name] = value;
      else if (name in values) values[name] = undefined;
      if (Object.values(values).every((each) => each === undefined)) memory.delete(key);
      else if (held?.uid !== uid) memory.set(key, { uid, values });
    },
  };
};

const MICROS_PER_MILLI = 1000;

/** A moment as time of day, for {@link MemorySlotOptions.inspect}. */
export const isoOf = (epochMs: number): string => instantOf(Math.round(epochMs * MICROS_PER_MILLI));

/** The same with the moments of some members as times of day. */
export const withTimes = <T extends object>(value: T, ...moments: readonly (keyof T)[]): object =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'number' && moments.includes(name as keyof T) ? isoOf(member) : (member as unknown),
    ]),
  );

/** All memory, by key, as JSON. */
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
