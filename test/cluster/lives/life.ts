import { isDeepStrictEqual } from 'node:util';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { waiting } from './access.ts';

/** The namespace of one life. */
export interface Place {
  readonly plane: ControlPlane;
  readonly namespace: string;
}

/** One chapter of a life: a change, until the operator has done all that follows from the change. */
export interface Chapter {
  readonly title: string;
  /** The actions of users and other writers. Resolves when the operator has handled them completely. */
  readonly live: (place: Place) => Promise<void>;
}

/** A child that existed between two chapters. */
export interface Child {
  readonly name: string;
  readonly uid: string;
}

/** The script of a life, the same at each run. */
export interface Life {
  /** The kind, and what happens to it. */
  readonly title: string;
  readonly chapters: readonly Chapter[];
  /** The resources of the children: what is counted in the audit log. */
  readonly children: readonly string[];
  /** Children that exist now and are not being deleted. */
  readonly childrenIn: (place: Place) => Promise<readonly Child[]>;
  /** The state to compare: everything that must be the same at the end, without names, uids and times. */
  readonly endState: (place: Place) => Promise<unknown>;
  /** The last chapter, after the end state was read: the deletion, until nothing is left. */
  readonly lastDay: (place: Place) => Promise<void>;
}

/** The result of a life. */
export interface Story {
  readonly endState: unknown;
  /** How many children survived from one chapter to the next, chapter by chapter. */
  readonly survivors: readonly number[];
  /** How many children existed after each chapter. */
  readonly populations: readonly number[];
}

/** A life is at its end when this many consecutive reads are the same: for 1.5 s. */
const READS_AT_REST = 10;

/**
 * Reads the end state after the operator has handled all events. The last chapter ends when the spec is fulfilled. A later event
 * may still change the status, for example the event that a deleted pod is gone.
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

/** What keeps the operator of a life running. */
export interface Keeper {
  /** Resolves when the operator works. */
  readonly awake: () => Promise<void>;
  /** How often the operator was killed. */
  readonly kills: () => number;
}

/** A killed operator has not handled all events, so the state counts only after the next operator has started to work. */
const lastWordOf = async (life: Life, place: Place, { awake, kills }: Keeper): Promise<unknown> => {
  for (;;) {
    const before = kills();
    await awake();
    const endState = await endStateAtRest(life, place);
    if (kills() === before) return endState;
  }
};

/** Runs all chapters. */
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
