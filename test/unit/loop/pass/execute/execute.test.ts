import { describe, expect, it } from 'vitest';
import { conflict, failure, forbidden } from '#lib/apiserver/machinery/status.ts';
import { defineKind } from '#lib/desired/definition.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import type { ApiError } from '#lib/errors.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { refusedSlot } from '#lib/loop/pass/execute/refusal.ts';
import { reconcile } from '#lib/loop/pass/reconcile.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { answerOf, quotaExceeded } from '#test/unit/support/server-answers.ts';
import { shelf, shelfThat, strangersPod } from '#test/unit/support/shelf-kind.ts';
import { wardrobe } from '#test/unit/support/wardrobe-kind.ts';

const pod = { group: '', kind: 'pods', name: 'w' };
const WEBHOOK = 'admission webhook "images.example.com" denied the request: unknown registry';
const invalid = (code: number, message = 'spec.image: Required value'): ApiError =>
  answerOf(failure({ code, reason: code === 422 ? 'Invalid' : 'BadRequest', message }));
const denied = answerOf(forbidden(pod, 'a policy denies it'));

const fieldConflict = answerOf(
  failure({
    code: 409,
    reason: 'Conflict',
    message: 'Apply failed with 1 conflict',
    details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "kubectl"', field: '.data' }] },
  }),
);

const writes = (bench: LoopBench, verb: string): string[] =>
  bench.api.writes.filter((write) => write.verb === verb).map(({ resource, name }) => `${resource} ${name}`);

/** Passes each second; returns the second of the first write with a verb. */
const firstWrite = async (bench: LoopBench, verb: string, seconds: number): Promise<number | undefined> => {
  bench.api.requests.length = 0;
  for (let second = 1; second <= seconds; second += 1) {
    await bench.timers.advance(1000);
    await bench.pass('w');
    if (writes(bench, verb).length > 0) return second;
  }
  return undefined;
};

describe('execute() after an invalid write', () => {
  it.each([
    { why: 'validation refused a create', code: 422, seconds: 150 },
    { why: 'the API server could not decode a create', code: 400, seconds: 5 },
    { why: 'a webhook refused a create as invalid', code: 422, message: WEBHOOK, seconds: 5 },
  ])('execute() repeats it after $seconds s when $why', async ({ code, message, seconds }) => {
    const bench = new LoopBench(shelf);
    bench.declare('w', { books: ['a'] });
    bench.api.refuse = ({ verb }) => (verb === 'create' ? invalid(code, message) : undefined);
    await bench.pass('w');
    expect(await firstWrite(bench, 'create', 200)).toBe(seconds);
  });

  it('execute() repeats it after 5 s when validation refused an apply', async () => {
    const bench = new LoopBench(wardrobe);
    bench.declare('w', { content: { kinds: ['ConfigMap'], data: { key: 'a' } } });
    await bench.converge('w');
    bench.edit('w', { content: { kinds: ['ConfigMap'], data: { key: 'b' } } });
    bench.catchUp();
    bench.api.refuse = ({ verb }) => (verb === 'apply' ? invalid(422) : undefined);
    await bench.pass('w');
    expect(await firstWrite(bench, 'apply', 200)).toBe(5);
  });
});

describe('execute() while a write is on hold', () => {
  it('execute() repeats refused creates of one kind no earlier when a child of another kind is gone', async () => {
    const bench = new LoopBench(wardrobe);
    bench.declare('w', { content: { kinds: ['ConfigMap', 'Pod'] } });
    bench.api.refuse = ({ resource }) => (resource === 'pods' ? quotaExceeded('w') : undefined);
    await bench.pass('w');
    bench.api.vanish(ConfigMap, 'w');
    bench.catchUp();
    bench.api.requests.length = 0;
    await bench.pass('w');
    expect(writes(bench, 'apply')).toEqual(['configmaps w']);
    expect(writes(bench, 'create')).toEqual([]);
  });

  it('execute() writes a child with a field conflict again at once when its intent changes, without an edit', async () => {
    let key = 'one';
    const bench = new LoopBench(
      defineKind({
        ...wardrobe,
        desired: ({ resource: { metadata } }) => ({
          children: [apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: metadata.name }, data: { key } })],
          status: {},
          state: ready('Fine', 'fine'),
        }),
      }),
    );
    bench.declare('w', { content: {} });
    await bench.converge('w');
    bench.api.refuse = ({ verb }) => (verb === 'apply' ? fieldConflict : undefined);
    bench.api.edit(ConfigMap, 'w', (object) => ({ ...object, data: { key: 'theirs' } }));
    bench.catchUp();
    await bench.pass('w');
    bench.api.requests.length = 0;
    await bench.pass('w');
    expect(writes(bench, 'apply')).toEqual([]);
    key = 'two';
    await bench.pass('w');
    expect(writes(bench, 'apply')).toEqual(['configmaps w']);
  });
});

/** A kind with the ConfigMap of a wardrobe, which it leaves out of a partial result when `isPartial` returns true. */
const partly = (isPartial: () => boolean) =>
  defineKind({
    ...wardrobe,
    desired: (seen) => {
      const result = wardrobe.desired(seen);
      return isPartial() ? { ...result, children: [], partial: 'not all is known' } : result;
    },
  });

describe('execute() and refusals of earlier passes', () => {
  it.each([
    { why: 'a field conflict', refusal: fieldConflict, reasons: ['FieldConflict'] },
    { why: 'a refusal by admission', refusal: denied, reasons: [] },
  ])('execute() keeps $reasons of $why while the result leaves the child as it is', async ({ refusal, reasons }) => {
    let isPartial = false;
    let seen: readonly Refusal[] = [];
    const kind = partly(() => isPartial);
    const bench = new LoopBench(
      defineKind({
        ...kind,
        desired: (given) => {
          seen = given.refused;
          return kind.desired(given);
        },
      }),
    );
    bench.declare('w', { content: { kinds: ['ConfigMap'], data: { key: 'a' } } });
    await bench.converge('w');
    bench.edit('w', { content: { kinds: ['ConfigMap'], data: { key: 'b' } } });
    bench.catchUp();
    bench.api.refuse = ({ verb }) => (verb === 'apply' ? refusal : undefined);
    await bench.pass('w');
    isPartial = true;
    await bench.pass('w');
    await bench.pass('w');
    expect(seen.map(({ reason }) => reason)).toEqual(reasons);
  });

  it('execute() sorts the refusals by name', async () => {
    let seen: readonly Refusal[] = [];
    const bench = new LoopBench(
      shelfThat((given) => {
        seen = given.refused;
        return shelf.desired(given);
      }),
    );
    for (const name of ['a', 'b', 'c', 'd']) bench.api.put(Pod, strangersPod(name));
    bench.declare('w', { books: ['c', 'a', 'd', 'b'] });
    await bench.pass('w');
    await bench.pass('w');
    expect(seen.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  });
});

it('execute() sorts the refusals of this pass and of earlier passes by name', async () => {
  let books = ['b'];
  let seen: readonly Refusal[] = [];
  const bench = new LoopBench(
    shelfThat((given) => {
      seen = given.refused;
      const { resource } = given;
      return shelf.desired({ ...given, resource: { ...resource, spec: { ...resource.spec, books } } });
    }),
  );
  for (const name of ['a', 'b', 'c']) bench.api.put(Pod, strangersPod(name));
  bench.declare('w', { books: [] });
  await bench.pass('w');
  books = ['a', 'b', 'c'];
  await bench.pass('w');
  await bench.pass('w');
  expect(seen.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
});

it('execute() keeps the order of the plan for refusals with the same name', async () => {
  const bench = new LoopBench(wardrobe);
  bench.declare('w', { content: {} });
  bench.api.refuse = ({ verb }) => (verb === 'apply' ? denied : undefined);
  await bench.pass('w');
  const refused = refusedSlot.get(bench.context, {
    key: keyOf('default', 'w'),
    uid: bench.api.one(bench.kind, 'w').metadata.uid,
  });
  expect(refused.map(({ kind }) => kind)).toEqual(['Deployment', 'ConfigMap', 'Service']);
});

describe('execute() and its metrics', () => {
  it('execute() counts the steps that need no write', async () => {
    const bench = new LoopBench(shelf);
    bench.declare('w', { books: ['a', 'b', 'c'] });
    await bench.converge('w');
    bench.edit('w', { books: ['a', 'b', 'c', 'd'] });
    bench.catchUp();
    const counts: number[] = [];
    const metrics = { ...bench.context.metrics, skipped: (count: number) => void counts.push(count) };
    await reconcile({ ...bench.context, metrics }, keyOf('default', 'w'));
    expect(counts).toEqual([3]);
  });
});

// Another writer was faster: the same status 409 is no conflict over a field.
it('execute() repeats a create soon after a conflict over the version', async () => {
  const bench = new LoopBench(shelf);
  bench.declare('w', { books: ['a'] });
  bench.api.refuse = ({ verb }) => (verb === 'create' ? answerOf(conflict(pod, 'modified')) : undefined);
  await bench.pass('w');
  expect(await firstWrite(bench, 'create', 10)).toBe(1);
});
