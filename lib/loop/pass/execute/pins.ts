import { type RememberedResource, type Remembering, slot } from '#lib/loop/context/memory.ts';
import type { Immutable, Pin } from '#lib/plan/fields/pin.ts';
import type { Child } from '#lib/plan/step.ts';

const NO_PINS: Map<string, Pin> = new Map();

const textOf = ({ intent, owned }: Pin): string => `${intent} ${owned?.set.id ?? '-'} ${owned?.values ?? '-'}`;

/** By uid: what the server answered when children were last written; only of those that intents apply to. */
export const pinsSlot = slot('pins', {
  empty: NO_PINS,
  inspect: (pins) =>
    pins.size > 0 ? Object.fromEntries([...pins].map(([child, pin]) => [child, textOf(pin)])) : undefined,
});

/** By uid: intents that the API server refused because they change what stays as it was created. */
export const immutablesSlot = slot<ReadonlyMap<string, Immutable>>('immutables', {
  empty: new Map(),
  inspect: (immutables) => (immutables.size > 0 ? Object.fromEntries(immutables) : undefined),
});

/** Replaces what is remembered of all children of a resource. */
export const rememberPins = (memory: Remembering, place: RememberedResource, pins: ReadonlyMap<string, Pin>): void => {
  if (pins.size > 0 || pinsSlot.get(memory, place).size > 0) pinsSlot.set(memory, place, new Map(pins));
};

/** Remembers what one child of a resource was when it had been written. */
export const rememberPin = (
  memory: Remembering,
  place: RememberedResource,
  { uid, pin }: { readonly uid: string; readonly pin: Pin },
): void => {
  const pins = pinsSlot.get(memory, place);
  if (pins === NO_PINS) pinsSlot.set(memory, place, new Map([[uid, pin]]));
  else pins.set(uid, pin);
};

/** Remembers that an intent cannot be had of a child; of children that are gone nothing is kept. */
export const rememberImmutable = (
  memory: Remembering,
  seen: RememberedResource & { readonly children: readonly Child[] },
  { uid, immutable }: { readonly uid: string; readonly immutable: Immutable },
): void => {
  const uids = new Set(seen.children.map(({ object }) => object.metadata?.uid));
  const kept = [...immutablesSlot.get(memory, seen)].filter(([child]) => uids.has(child));
  immutablesSlot.set(memory, seen, new Map([...kept, [uid, immutable]]));
};
