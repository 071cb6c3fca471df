import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/intent.ts';
import { UnsupportedError } from '#lib/errors.ts';
import { ConfigMap, Pod } from '#lib/kind/reference.ts';
import { assertSupported, assertSupportedResult } from '#lib/loop/supported.ts';
import { bookPod, type ShelfAnswer, shelf } from '#test/unit/support/shelf-kind.ts';

const answer: ShelfAnswer = {
  children: [apply(bookPod('a'))],
  status: { count: 0 },
  state: { state: 'ready', reason: 'R', message: 'm' },
};

describe('assertSupported()', () => {
  it.each([
    { definition: shelf, reason: 'it owns pods' },
    { definition: podSet, reason: 'it is the kind that comes with the library' },
    { definition: { ...shelf, reads: [ConfigMap] }, reason: 'it reads other kinds' },
    { definition: { ...shelf, selector: () => ({ app: 'x' }) }, reason: 'it is offered orphans' },
    { definition: { ...shelf, owns: [] }, reason: 'it owns nothing' },
    { definition: { ...shelf, owns: [Pod, ConfigMap] }, reason: 'it owns a kind that changes after creation' },
    { definition: { ...shelf, finalize: shelf.desired }, reason: 'it finalizes' },
  ])('assertSupported() accepts a definition when $reason', ({ definition }) => {
    expect(() => assertSupported(definition)).not.toThrow();
  });

  it.each<{ definition: AnyKindDefinition; reason: string }>([
    { definition: { ...shelf, scope: 'Cluster' }, reason: 'the kind is cluster-scoped' },
    { definition: { ...shelf, owns: [{ ...Pod, scope: 'Cluster' }] }, reason: 'it owns a cluster-scoped kind' },
  ])('assertSupported() throws UnsupportedError when $reason', ({ definition }) => {
    expect(() => assertSupported(definition)).toThrow(UnsupportedError);
  });
});

describe('assertSupportedResult()', () => {
  it.each([
    { result: answer, reason: 'it declares children' },
    { result: { ...answer, effects: [], events: [] }, reason: 'its lists are empty' },
    { result: { ...answer, partial: 'could not list' }, reason: 'it is partial' },
  ])('assertSupportedResult() accepts a result when $reason', ({ result }) => {
    expect(() => assertSupportedResult(result)).not.toThrow();
  });

  it.each<{ result: ShelfAnswer; reason: string }>([
    {
      result: { ...answer, effects: [{ effect: 'dryRun', key: 'k', object: bookPod('b') }] },
      reason: 'it asks for an effect',
    },
    { result: { ...answer, events: [{ type: 'Normal', reason: 'R', message: 'm' }] }, reason: 'it emits an event' },
  ])('assertSupportedResult() throws UnsupportedError when $reason', ({ result }) => {
    expect(() => assertSupportedResult(result)).toThrow(UnsupportedError);
  });
});
