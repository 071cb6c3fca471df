import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pod } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { casesNow } from '#test/cases.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { type Attack, attacks, everyAttack, hostileResult } from '#test/unit/support/hostile.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { shelf, shelfThat, strangersPod } from '#test/unit/support/shelf-kind.ts';

/** The number of cases in the goal. */
const CASES = casesNow({ usual: 300, soak: 10_000 }).count;

interface Owned {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly {
    readonly uid: string;
    readonly controller?: boolean;
    readonly blockOwnerDeletion?: boolean;
  }[];
}

const other = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'other', uid: 'someone-else', controller: true };

/**
 * A cluster with foreign objects, one resource with a hostile function, and a neighbour of the same kind with a correct
 * one.
 */
const worldOf = (several: readonly Attack[]) => {
  const bench = new LoopBench(
    shelfThat((seen) => {
      const isHostile = seen.resource.metadata.name === 'vandal';
      return isHostile ? (hostileResult(several) as ReturnType<typeof shelf.desired>) : shelf.desired(seen);
    }),
  );
  bench.api.put(Pod, strangersPod('stray'));
  bench.api.put(Pod, strangersPod('controlled', { ownerReferences: [other] }));
  const before = bench.api.stored();
  started(bench);
  const vandal = bench.declare('vandal', { books: [] });
  const neighbour = bench.declare('neighbour', { books: ['neighbour-book'] });
  return { bench, before, vandal, neighbour };
};

/** Faults of an object that the loop created. */
const faultsOf = (
  { resource, object }: { resource: string; object: ApiObject },
  owners: ReadonlyMap<string, string>,
) => {
  const { name, namespace, labels = {}, ownerReferences = [] } = object.metadata as Owned;
  const [owner] = ownerReferences;
  const holds = {
    'a kind that is owned': resource === 'pods',
    'the namespace of its owner': namespace === 'default',
    'one controller, the resource': ownerReferences.length === 1 && owner?.controller === true && owners.has(owner.uid),
    'a child that a foreground deletion of its owner waits for': owner?.blockOwnerDeletion === true,
    'the label of its owner': labels['demo.example.com/shelf'] === owners.get(owner?.uid ?? ''),
  };
  return Object.entries(holds).flatMap(([what, isTrue]) =>
    isTrue ? [] : [`${resource} ${namespace}/${name}: not ${what}`],
  );
};

const idOf = ({ resource, object: { metadata } }: { resource: string; object: ApiObject }): string =>
  `${resource} ${metadata.namespace}/${metadata.name}`;

/** Forbidden writes of the loop, and the state of the resource. */
const outcomeOf = async (several: readonly Attack[]) => {
  const { bench, before, vandal, neighbour } = worldOf(several);
  await live(bench, 600);
  const owners = new Map([vandal, neighbour].map(({ metadata }) => [metadata.uid, metadata.name]));
  const after = bench.api.stored();
  const known = new Map(before.map((stored) => [idOf(stored), JSON.stringify(stored.object)]));
  const changed = [...known].filter(
    ([id, text]) => !after.some((stored) => idOf(stored) === id && JSON.stringify(stored.object) === text),
  );
  const fresh = after.filter((stored) => !known.has(idOf(stored)) && !owners.has(stored.object.metadata.uid));
  return {
    changed: changed.map(([id]) => id),
    faults: fresh.flatMap((stored) => faultsOf(stored, owners)),
    made: fresh.map(idOf),
    stalled: bench.conditionOf('vandal', 'Stalled'),
    neighbour: bench.conditionOf('neighbour', 'Ready')?.status,
    isPolluted: 'polluted' in {},
  };
};

const harmless = { changed: [], faults: [], neighbour: 'True', isPolluted: false };

describe('the loop', () => {
  it.each(everyAttack.filter(({ isRefused }) => isRefused))(
    'the loop stalls the resource and does nothing for it when its function gives or asks for: $name',
    async (attack) => {
      const { stalled, made, ...rest } = await outcomeOf([attack]);
      expect(rest).toEqual(harmless);
      expect(made).toEqual(['pods default/neighbour-book']);
      expect(stalled).toMatchObject({
        status: 'True',
        reason: expect.stringMatching(/^(InvalidDesired|DesiredFailed)$/) as string,
      });
      expect(stalled?.message.length).toBeLessThanOrEqual(1024);
      expect(stalled?.message).not.toBe('');
    },
  );

  it('the loop touches nothing outside of namespace, kinds and ownership, whatever functions want, and neighbours converge', async () => {
    const property = fc.asyncProperty(attacks, async (several) => {
      const { stalled, made, ...rest } = await outcomeOf(several);
      expect(rest).toEqual(harmless);
      if (!several.some(({ isRefused }) => isRefused)) return;
      expect(stalled?.status).toBe('True');
      expect(made).toEqual(['pods default/neighbour-book']);
    });
    await fc.assert(property, { numRuns: CASES });
  }, 1_800_000);
});
