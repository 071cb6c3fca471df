import { type RememberedResource, type Remembering, slot } from '#lib/loop/context/memory.ts';
import type { Immutable, Pin } from '#lib/plan/fields/pin.ts';
import type { Child } from '#lib/plan/step.ts';

const NO_PINS: Map<string, Pin> = new Map();

const textOf = ({ intent, owned }: Pin): string => `${intent} ${owned?.set.id ?? '-'} ${owned?.values ?? '-'}`;

/** The pins of the children of a resource, by uid; only children with an intent have a pin. */
export const pinsSlot = slot('pins', {
  empty: NO_PINS,
  inspect: (pins) => Object.fromEntries([...pins].map(([child, pin]) => [child, textOf(pin)])),
});

/** Intents, by uid of the child, that the API server refused because they change an immutable field. */
export const immutablesSlot = slot<ReadonlyMap<string, Immutable>>('immutables', {
  empty: new Map(),
  inspect: (immutables) => Object.fromEntries(immutables),
});

/** Replaces the pins of all children of a resource. */
export const rememberPins = (memory: Remembering, place: RememberedResource, pins: ReadonlyMap<string, Pin>): void =>
  pinsSlot.set(memory, place, new Map(pins));

/** Sets the pin of one child after a write. */
export const rememberPin = (
  memory: Remembering,
  place: RememberedResource,
  { uid, pin }: { readonly uid: string; readonly pin: Pin },
): void => {
  const pins = pinsSlot.get(memory, place);
  if (pins === NO_PINS) pinsSlot.set(memory, place, new Map([[uid, pin]]));
  else pins.set(uid, pin);
};

/**
 * Remembers that the API server refuses an intent for a child, because a field is immutable. Forgets children that are not in the
 * snapshot.
 */
export const rememberImmutable = (
  memory: Remembering,
  seen: RememberedResource & { readonly children: readonly Child[] },
  { uid, immutable }: { readonly uid: string; readonly immutable: Immutable },
): void => {
  const uids = new Set(seen.children.map(({ object }) => object.metadata?.uid));
  const kept = [...immutablesSlot.get(memory, seen)].filter(([child]) => uids.has(child));
  immutablesSlot.set(memory, seen, new Map([...kept, [uid, immutable]]));
};
