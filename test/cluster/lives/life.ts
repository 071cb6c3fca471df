import { isDeepStrictEqual } from 'node:util';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { waiting } from './access.ts';

/** Where a life is lived: a namespace of its own. */
export interface Place {
  readonly plane: ControlPlane;
  readonly namespace: string;
}

/** One chapter of a life: something happens, and is over when the operator has done all there is to do. */
export interface Chapter {
  readonly title: string;
  /** What users and other writers do; resolves when the operator has answered to it in full. */
  readonly live: (place: Place) => Promise<void>;
}

/** A child as it was seen between two chapters. */
export interface Child {
  readonly name: string;
  readonly uid: string;
}

/** The script of a life, the same each time that it is lived. */
export interface Life {
  /** Whose life it is. */
  readonly title: string;
  readonly chapters: readonly Chapter[];
  /** The resources of the children: what is counted in the audit log. */
  readonly children: readonly string[];
  /** Those that exist now and are not being deleted. */
  readonly childrenIn: (place: Place) => Promise<readonly Child[]>;
  /** What is compared: everything that must be the same at the end, without names, uids and times. */
  readonly endState: (place: Place) => Promise<unknown>;
  /** Its last day, after the end state was taken: its deletion, until nothing is left. */
  readonly lastDay: (place: Place) => Promise<void>;
}

/** What is left of a life when it is over. */
export interface Story {
  readonly endState: unknown;
  /** How many children lived on from one chapter to the next, chapter by chapter. */
  readonly survivors: readonly number[];
  /** How many existed after each chapter. */
  readonly populations: readonly number[];
}

/** So often in a row the same must be read before a life is at its end: for 1.5 s. */
const READS_AT_REST = 10;

/**
 * What it comes to when the operator has heard of everything. The last chapter is over when the spec is fulfilled; an
 * event that is still on its way may change the status once more, as when a pod that the operator deleted is gone.
 */
const endStateAtRest = async ({ endState }: Life, place: Place): Promise<unknown> => {
  let last: unknown;
  let repeated = 0;
  await waiting(`the end state in ${place.namespace} to stay`, async () => {
    const next = await endState(place);
    repeated = isDeepStrictEqual(next, last) ? repeated + 1 : 0;
    last = next;
    return repeated === READS_AT_REST;
  });
  return last;
};

/** Who looks after the resource of a life. */
export interface Keeper {
  /** Resolves when it works. */
  readonly awake: () => Promise<void>;
  /** How often it has died. */
  readonly kills: () => number;
}

/** One that dies has not done everything: rest counts from when it works again. */
const lastWordOf = async (life: Life, place: Place, { awake, kills }: Keeper): Promise<unknown> => {
  for (;;) {
    const before = kills();
    await awake();
    const endState = await endStateAtRest(life, place);
    if (kills() === before) return endState;
  }
};

/** Lives through all chapters. */
export const liveThrough = async (life: Life, place: Place, keeper: Keeper): Promise<Story> => {
  const survivors: number[] = [];
  const populations: number[] = [];
  let before: readonly Child[] = [];
  for (const { live, title } of life.chapters) {
    try {
      await live(place);
    } catch (cause) {
      throw new Error(`Cannot live through chapter "${title}" in ${place.namespace}`, { cause });
    }
    const after = await life.childrenIn(place);
    const uids = new Set(after.map(({ uid }) => uid));
    survivors.push(before.filter(({ uid }) => uids.has(uid)).length);
    populations.push(after.length);
    before = after;
  }
  return { endState: await lastWordOf(life, place, keeper), survivors, populations };
};
