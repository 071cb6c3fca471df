import { describe, expect, it } from 'vitest';
import { conflict } from '#lib/apiserver/machinery/status.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { type WriteStep, writeChild } from '#lib/loop/pass/execute/write-child.ts';
import { deletionsOf, snapshotOf } from '#test/unit/loop/pass/pass-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { answerOf } from '#test/unit/support/server-answers.ts';

/** A shelf with one book, the options of the deletions that the loop sends, and a function that executes a step for the book. */
const withBook = async () => {
  const bench = new LoopBench();
  bench.declare('shelf', { books: ['a'] });
  await bench.converge('shelf');
  const { uid, resourceVersion } = bench.api.one(Pod, 'a').metadata;
  const sent = deletionsOf(bench);
  const write = async (step: WriteStep) => writeChild(bench.context, snapshotOf(bench.context, 'shelf'), step);
  return { bench, uid, resourceVersion, sent, write };
};

type Book = Pick<Awaited<ReturnType<typeof withBook>>, 'uid' | 'resourceVersion'>;

const removal = ({ uid }: Book) => ({ step: 'remove', kind: Pod, name: 'a', uid, reason: 'Sold' }) as const;
const replacement = ({ uid }: Book) =>
  ({ step: 'replace', kind: Pod, name: 'a', uid, reason: 'ImmutableField' }) as const;
const pruning = ({ uid, resourceVersion }: Book) =>
  ({ step: 'prune', kind: Pod, name: 'a', uid, resourceVersion, reason: 'Undeclared' }) as const;

interface Case {
  readonly what: string;
  readonly step: (book: Book) => WriteStep;
  readonly options: (book: Book) => object;
}

describe('remove() of a step', () => {
  // A member with the value undefined is not the same as no member here.
  it.each<Case>([
    { what: 'a replacement', step: replacement, options: ({ uid }) => ({ uid }) },
    { what: 'a removal without a version and a grace period', step: removal, options: ({ uid }) => ({ uid }) },
    {
      what: 'a removal with a grace period of zero',
      step: (book) => ({ ...removal(book), gracePeriodSeconds: 0 }),
      options: ({ uid }) => ({ uid, gracePeriodSeconds: 0 }),
    },
    {
      what: 'a removal with a version',
      step: (book) => ({ ...removal(book), resourceVersion: book.resourceVersion }),
      options: ({ uid, resourceVersion }) => ({ uid, resourceVersion }),
    },
    { what: 'a pruning', step: pruning, options: ({ uid, resourceVersion }) => ({ uid, resourceVersion }) },
  ])('remove() sends the preconditions of the step, and no other members, for $what', async ({ step, options }) => {
    const { write, sent, ...book } = await withBook();
    expect(await write(step(book))).toBe('done');
    expect(sent).toStrictEqual([options(book)]);
  });

  it.each([
    { what: 'a replacement', step: replacement },
    { what: 'a removal without a version', step: removal },
  ])('remove() rejects when the API server refuses $what and the child still exists', async ({ step }) => {
    const { bench, write, ...book } = await withBook();
    const refusal = answerOf(conflict({ group: '', kind: 'pods', name: 'a' }, 'modified'));
    bench.api.refuse = ({ verb }) => (verb === 'delete' ? refusal : undefined);
    await expect(write(step(book))).rejects.toBe(refusal);
  });
});
