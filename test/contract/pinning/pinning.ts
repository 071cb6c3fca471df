import * as fc from 'fast-check';
import { expect } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import type { ApiObject, KubeApi } from '#lib/kube/interface/api.ts';
import { type ForeignWrite, foreignWrites, interfere } from './foreign.ts';
import type { Wish } from './intents.ts';
import { PinnedChild } from './pinned-child.ts';

/** The API server of the property. */
export interface PinningGround {
  readonly api: KubeApi;
  readonly namespace: string;
}

/** Counts of the cases of a property, by the loop's decision and the server's result. */
export interface PinningTally {
  cases: number;
  /** Cases that the server did not accept. */
  refused: number;
  /** Decisions to apply that the server refused because of a foreign write. */
  blocked: number;
  /** Decisions to leave a child alone, each of which was verified by an apply. */
  skips: number;
  /**
   * Decisions without memory to leave a child alone, where an apply would have reclaimed ownership of fields with the
   * intended values.
   */
  unclaimed: number;
  /** Decisions to apply that changed nothing: each costs a request. */
  needless: number;
  /** Decisions to apply that were needed. */
  needed: number;
}

const attempt = async <T>(act: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
};

/** The content of an object, independent of field owners. */
const contentOf = (object: ApiObject): unknown => {
  const {
    managedFields: _fields,
    resourceVersion: _version,
    generation: _generation,
    ...metadata
  } = object.metadata as ApiObject['metadata'] & { readonly managedFields?: unknown; readonly generation?: unknown };
  return { ...object, metadata };
};

const checkDecisions = async (
  child: PinnedChild,
  { intent, drifted, tally }: { intent: KubeObject; drifted: unknown; tally: PinningTally },
): Promise<void> => {
  const decisions = [await child.decide(intent, 'warm'), await child.decide(intent, 'cold')];
  const skips = decisions.map(({ step }) => step === 'skip');
  if (drifted !== undefined) expect({ drifted, skips }).toEqual({ drifted, skips: [false, false] });
  const applied = await attempt(async () => child.applyAnyway(intent));
  if (applied === undefined) {
    // A foreign value stays when the intent is applied, so the child must not be left alone.
    expect({ refused: intent, skips }).toEqual({ refused: intent, skips: [false, false] });
    tally.blocked += 1;
    return;
  }
  const [before, after] = applied;
  const isSame = before.metadata.resourceVersion === after.metadata.resourceVersion;
  const holdsTheSame = JSON.stringify(contentOf(before)) === JSON.stringify(contentOf(after));
  // An apply to a child that was created by POST would only add an entry to its managed fields.
  const changesNothing = isSame || (child.kind.createOnce === true && holdsTheSame);
  if (skips.includes(true)) {
    tally.skips += 1;
    // Another manager owned all members of a node and restored them: without memory the node looks fully owned.
    const isUnclaimed = !changesNothing && skips[0] === false && holdsTheSame;
    if (isUnclaimed) tally.unclaimed += 1;
    expect(changesNothing || isUnclaimed, `left alone (warm, cold: ${skips.join()}), and applying changed it`).toBe(
      true,
    );
  } else if (changesNothing) tally.needless += 1;
  else tally.needed += 1;
};

const playCase = async (
  child: PinnedChild,
  { first, second, writes, tally }: Wish & { readonly writes: readonly ForeignWrite[]; readonly tally: PinningTally },
): Promise<void> => {
  tally.cases += 1;
  for (const intent of [first, second]) {
    if ((await attempt(async () => child.settle(intent))) === undefined) {
      tally.refused += 1;
      return;
    }
    await checkDecisions(child, { intent, drifted: undefined, tally });
  }
  for (const write of writes) {
    const drifted = await attempt(async () => interfere(child, write, child.sent(second)));
    await checkDecisions(child, { intent: second, drifted, tally });
    if ((await attempt(async () => child.settle(second))) === undefined) return;
    await checkDecisions(child, { intent: second, drifted: undefined, tally });
  }
};

/**
 * Tests on an API server the rule by which the loop leaves children alone, with its memory and without. The loop leaves a child
 * alone only when an apply would not change the child, and never when another writer changed fields that the loop owns. The one
 * exception is the case that `unclaimed` counts.
 *
 * @param ground - called before the cases
 * @param options - `runs`: number of cases
 */
export const tryPinning = async (
  ground: () => Promise<PinningGround>,
  { wishes, runs }: { readonly wishes: fc.Arbitrary<Wish>; readonly runs: number },
): Promise<PinningTally> => {
  const { api, namespace } = await ground();
  const tally: PinningTally = { cases: 0, refused: 0, blocked: 0, skips: 0, unclaimed: 0, needless: 0, needed: 0 };
  let number = 0;
  await fc.assert(
    fc.asyncProperty(wishes, foreignWrites, async (wish, writes) => {
      number += 1;
      const child = new PinnedChild(api, { kind: wish.kind, namespace, name: `child-${number}` });
      await playCase(child, { ...wish, writes, tally });
    }),
    { numRuns: runs },
  );
  return tally;
};
