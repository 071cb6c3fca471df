import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { remove } from '#lib/desired/result/intent.ts';
import { progressing } from '#lib/desired/result/state.ts';
import { ApiError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { LoopBench } from './loop-bench.ts';
import { type ShelfAnswer, type ShelfSeen, shelf } from './shelf-kind.ts';

/** The finalizer that the loop adds to a shelf. */
export const FINALIZER = 'demo.example.com/cdk8s-reconcile';

/** The state of a shelf that is being deleted. */
export const clearing = progressing('Clearing', 'the shelf is cleared');

/** Removes the children of a shelf. */
export const clear = ({ children }: ShelfSeen): ShelfAnswer => ({
  children: children.of(Pod).map((pod) => remove(pod, 'Cleared')),
  status: { count: children.of(Pod).length },
  state: clearing,
});

/** A shelf with a finalizer. */
export const shelfWith = (finalize: (seen: ShelfSeen) => ShelfAnswer): AnyKindDefinition =>
  defineKind({ ...shelf, finalize });

/** A shelf whose books exist, and no request counted yet. */
export const standing = async (
  finalize: (seen: ShelfSeen) => ShelfAnswer = clear,
  books = ['a', 'b'],
): Promise<LoopBench> => {
  const bench = new LoopBench(shelfWith(finalize));
  bench.declare('shelf', { books });
  await bench.converge('shelf');
  bench.api.requests.length = 0;
  await bench.timers.advance(1000);
  return bench;
};

/** Deletes the shelf as a user, and delivers the event. */
export const discard = (bench: LoopBench): void => {
  bench.api.remove(bench.kind, 'shelf');
  bench.catchUp();
};

/** The finalizers of the shelf. */
export const finalizersOf = (bench: LoopBench): unknown =>
  (bench.api.one(bench.kind, 'shelf').metadata as { readonly finalizers?: unknown }).finalizers;

/** True while the shelf exists. */
export const exists = (bench: LoopBench): boolean => bench.api.all(bench.kind).length > 0;

/** Edits the finalizers as a user, without delivering the event. */
export const edit = (bench: LoopBench, finalizers: readonly string[]): void =>
  bench.api.edit(bench.kind, 'shelf', (object) => ({ ...object, metadata: { ...object.metadata, finalizers } }));

/** Edits the finalizers as a user, and delivers the event. */
export const mark = (bench: LoopBench, finalizers: readonly string[]): void => {
  edit(bench, finalizers);
  bench.catchUp();
};

/** The verbs of the requests, in order. */
export const verbs = (bench: LoopBench): string[] => bench.api.requests.map(({ verb }) => verb);

/** The answer to a patch without the right to it. */
export const forbidden = new ApiError('patch shelves', {
  httpStatus: 403,
  reason: 'Forbidden',
  message: 'no right to patch',
});
