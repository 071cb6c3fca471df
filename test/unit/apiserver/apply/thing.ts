import type { ServerObject } from '#lib/apiserver/machinery/object.ts';

/** An object as the store has it, or a part of one. */
export type Thing = ServerObject;

const freeze = <V>(value: V): V => {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
};

/** A deeply frozen object, for tests that do not need its missing parts. */
export const frozenThing = (object: Readonly<Record<string, unknown>>): Thing => freeze(object) as unknown as Thing;
