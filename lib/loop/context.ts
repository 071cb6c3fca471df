import { instantOf } from '#lib/desired/clock.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { InvariantError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/reference.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import type { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { Decision } from '#lib/loop/pass/decision.ts';
import type { Fight } from '#lib/loop/pass/fight.ts';
import type { Hold, Holds } from '#lib/loop/pass/holds.ts';
import type { StatusUnrest, Unrest } from '#lib/loop/pass/unrest.ts';
import type { QuotaRoom } from '#lib/loop/quota/quota-room.ts';
import type { Lookups } from '#lib/loop/related/lookups.ts';
import type { Immutable, Pin } from '#lib/plan/pin.ts';
import type { Child } from '#lib/plan/step.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import type { EffectRunner } from './effects/runner.ts';
import type { EventSink } from './events/event.ts';
import type { Key } from './key.ts';
import type { ControllerMetrics } from './metrics.ts';

/** A child that was written without an answer: what became of it has to be looked up. */
export interface Doubt {
  readonly kind: KindRef;
  readonly name: string;
}

/** What the loop remembers of one resource between passes; lost at a restart without harm. */
export interface Memory {
  /** Of which resource: a later one of the same name inherits nothing. */
  readonly uid: string;
  readonly refused: readonly Refusal[];
  readonly holds: Holds;
  readonly doubts: readonly Doubt[];
  /** By uid: what the server answered when children were last written; only of those that intents apply to. */
  readonly pins: Map<string, Pin>;
  /** By uid: intents that the API server refused because they change what stays as it was created. */
  readonly immutables: ReadonlyMap<string, Immutable>;
  /** By uid and fields: corrections of children that somebody else changes. */
  readonly fights: ReadonlyMap<string, Fight>;
  /** When its status was last written, in epoch milliseconds. */
  readonly statusWrittenAt: number;
  /** Since when passes have left the status to the next one, in epoch milliseconds; undefined when the last one did not. */
  readonly unreportedSince: number | undefined;
  /** When its last few writes changed Ready, in epoch milliseconds, oldest first. */
  readonly flippedAt: readonly number[];
  /** The newest generation of the spec that a status was written about; 0 for none. */
  readonly answeredGeneration: number;
  /** The version of the resource under which children were last created. */
  readonly createdUnder?: string;
  /** What the last pass that wrote children wrote, until one finds nothing to write; see `pass/round.ts`. */
  readonly wrote: ReadonlySet<string> | undefined;
  /** Of a function that wants something else after each of its own changes. */
  readonly unrest: Unrest | undefined;
  /** Since a status was written, until the function wants no other one. */
  readonly statusUnrest: StatusUnrest | undefined;
}

/** A function of a kind, or a pass of the loop, that failed for one resource. */
export interface Failure {
  /** What failed: `desired() of Runner`, or `a pass of Runner`, which is a bug of the loop. */
  readonly what: string;
  readonly key: Key;
  readonly error: unknown;
}

/** What every pass of one kind works with. */
export interface Context {
  readonly definition: AnyKindDefinition;
  /** The handle of the kind itself. */
  readonly kind: KindRef;
  readonly api: KubeApi;
  /** Epoch milliseconds; never steps back. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  /** Tells people what happened; never blocks. */
  readonly events: EventSink;
  readonly onFailure?: (failure: Failure) => void;
  /** Told of every pass when it has decided; must neither throw nor change anything. */
  readonly onDecision?: (decision: Decision) => void;
  /** Whether functions are called twice, and must give the same. @default false */
  readonly checksFunctions?: boolean;
  /** One stable name per kind, on every write. */
  readonly fieldManager: string;
  readonly resources: ObjectCache;
  /** Carries out what resources want of the world outside of their children. */
  readonly effects: EffectRunner;
  /** The cache of each kind in `owns`. */
  readonly children: ReadonlyMap<KindRef, ObjectCache>;
  /** The cache of each kind in `reads`. */
  readonly related: ReadonlyMap<KindRef, ObjectCache>;
  /** What the last pass over each resource looked up. */
  readonly lookups: Lookups;
  /** Who waits for room in a quota. */
  readonly quotas: QuotaRoom;
  readonly memory: Map<Key, Memory>;
  /** Aborts when no further write should begin. */
  readonly stopping: AbortSignal;
}

/** The cache of an owned kind. */
export const cacheOf = ({ children }: Context, kind: KindRef): ObjectCache => {
  const cache = children.get(kind);
  if (!cache) throw new InvariantError(`No cache for kind "${kind.kind}", which is owned`);
  return cache;
};

const blank: Omit<Memory, 'uid'> = {
  refused: [],
  holds: new Map(),
  doubts: [],
  pins: new Map(),
  immutables: new Map(),
  fights: new Map(),
  statusWrittenAt: -Infinity,
  unreportedSince: undefined,
  flippedAt: [],
  answeredGeneration: 0,
  wrote: undefined,
  unrest: undefined,
  statusUnrest: undefined,
};

/** What is remembered of a resource. */
export const memoryOf = ({ memory }: Pick<Context, 'memory'>, key: Key, uid: string): Memory => {
  const remembered = memory.get(key);
  return remembered?.uid === uid ? remembered : { ...blank, uid };
};

/** Replaces parts of what is remembered of a resource. */
export const remember = (
  context: Pick<Context, 'memory'>,
  { key, uid }: { key: Key; uid: string },
  part: Partial<Memory>,
): void => {
  context.memory.set(key, { ...memoryOf(context, key, uid), ...part });
};

/** Forgets all that is remembered of a resource that is gone. */
export const forget = ({ memory, lookups, quotas, effects }: Context, key: Key): void => {
  effects.forget(key);
  memory.delete(key);
  lookups.forget(key);
  quotas.forget(key);
};

/** Which resource, by its key and its uid. */
interface Remembered {
  readonly key: Key;
  readonly resource: { readonly metadata: { readonly uid: string } };
}

/** Replaces what is remembered of all children of a resource. */
export const rememberPins = (
  context: Pick<Context, 'memory'>,
  { key, resource }: Remembered,
  pins: ReadonlyMap<string, Pin>,
): void => {
  const { uid } = resource.metadata;
  if (pins.size > 0 || memoryOf(context, key, uid).pins.size > 0)
    remember(context, { key, uid }, { pins: new Map(pins) });
};

/** Remembers what one child of a resource was when it had been written. */
export const rememberPin = (
  context: Context,
  seen: Remembered,
  { uid, pin }: { readonly uid: string; readonly pin: Pin },
): void => {
  const { pins } = memoryOf(context, seen.key, seen.resource.metadata.uid);
  if (pins === blank.pins) rememberPins(context, seen, new Map([[uid, pin]]));
  else pins.set(uid, pin);
};

/** Remembers that an intent cannot be had of a child; of children that are gone nothing is kept. */
export const rememberImmutable = (
  context: Context,
  { key, resource, children }: Remembered & { readonly children: readonly Child[] },
  { uid, immutable }: { readonly uid: string; readonly immutable: Immutable },
): void => {
  const { uid: parent } = resource.metadata;
  const uids = new Set(children.map(({ object }) => object.metadata?.uid));
  const kept = [...memoryOf(context, key, parent).immutables].filter(([child]) => uids.has(child));
  remember(context, { key, uid: parent }, { immutables: new Map([...kept, [uid, immutable]]) });
};

const MICROS_PER_MILLI = 1000;

const isoOf = (epochMs: number): string => instantOf(Math.round(epochMs * MICROS_PER_MILLI));

const textOf = ({ intent, owned }: Pin): string => `${intent} ${owned?.set.id ?? '-'} ${owned?.values ?? '-'}`;

const inspectHold = ({ notBefore, quotaSince, ...hold }: Hold) => ({
  ...hold,
  notBefore: isoOf(notBefore),
  ...(quotaSince !== undefined && { quotaSince: isoOf(quotaSince) }),
});

const inspectUnrest = ({ notBefore, ...unrest }: Unrest | StatusUnrest) => ({
  ...unrest,
  ...(notBefore !== undefined && { notBefore: isoOf(notBefore) }),
});

/** What is remembered, by key, as JSON: moments as times of day, handles as the names of their kinds. */
export const inspectMemory = ({ memory }: Context): Readonly<Record<string, unknown>> => {
  const entries = [...memory].map(
    ([key, { uid, refused, holds, doubts, pins, immutables, fights, flippedAt, createdUnder, ...rest }]) => {
      const { statusWrittenAt, answeredGeneration, unreportedSince, wrote, unrest, statusUnrest } = rest;
      const held = [...holds].map(([scope, hold]) => [scope, inspectHold(hold)]);
      const state = {
        uid,
        refused,
        holds: Object.fromEntries(held) as unknown,
        doubts: doubts.map(({ kind, name }) => `${kind.kind} ${name}`),
        ...(pins.size > 0 && { pins: Object.fromEntries([...pins].map(([child, pin]) => [child, textOf(pin)])) }),
        ...(fights.size > 0 && { fights: Object.fromEntries(fights) }),
        ...(wrote && { wrote: [...wrote] }),
        ...(unrest && { unrest: inspectUnrest(unrest) }),
        ...(statusUnrest && { statusUnrest: inspectUnrest(statusUnrest) }),
        ...(immutables.size > 0 && { immutables: Object.fromEntries(immutables) }),
        ...(createdUnder !== undefined && { createdUnder: `${uid}@${createdUnder}` }),
        ...(flippedAt.length > 0 && { flippedAt: flippedAt.map(isoOf) }),
        ...(unreportedSince !== undefined && { unreportedSince: isoOf(unreportedSince) }),
        ...(Number.isFinite(statusWrittenAt) && { statusWrittenAt: isoOf(statusWrittenAt), answeredGeneration }),
      };
      return [key, state] as const;
    },
  );
  return Object.fromEntries(entries);
};
