import { describe, expect, it } from 'vitest';
import { forbidden } from '#lib/apiserver/machinery/status.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { InvariantError } from '#lib/errors.ts';
import { ConfigMap, Deployment, type KindRef, Pod, Service } from '#lib/kind/handles/reference.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { compute } from '#lib/loop/pass/compute/compute.ts';
import type { WrittenChild } from '#lib/loop/pass/decision.ts';
import { attemptAll } from '#lib/loop/pass/execute/attempts.ts';
import type { WriteStep } from '#lib/loop/pass/execute/write-child.ts';
import { reconcile } from '#lib/loop/pass/reconcile.ts';
import { setOwners, snapshotOf, strayPod } from '#test/unit/loop/pass/pass-bench.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import {
  answerOf,
  connectionLost,
  internalError,
  namespaceTerminating,
  quotaExceeded,
} from '#test/unit/support/server-answers.ts';
import { shelf, shelfThat, strangersPod } from '#test/unit/support/shelf-kind.ts';
import { type WardrobeSpec, wardrobe } from '#test/unit/support/wardrobe-kind.ts';

const denied = answerOf(forbidden({ group: '', kind: 'pods', name: 'a' }, 'a policy denies it'));

const wardrobeOf = async (content: WardrobeSpec): Promise<LoopBench> => {
  const bench = new LoopBench(wardrobe);
  bench.declare('w', { content });
  await bench.converge('w');
  bench.api.requests.length = 0;
  return bench;
};

const change = (bench: LoopBench, content: WardrobeSpec): void => {
  bench.edit('w', { content });
  bench.catchUp();
};

const shelves = (...names: readonly string[]): LoopBench => {
  const bench = new LoopBench(shelf);
  for (const name of names) bench.declare(name, { books: [`${name}-book`] });
  return bench;
};

const accepts = ({ context }: LoopBench, { kind }: KindRef): boolean => context.probes.isAccepting('default', kind);

const writes = (bench: LoopBench, verb: string): string[] =>
  bench.api.writes.filter((write) => write.verb === verb).map(({ resource, name }) => `${resource} ${name}`);

describe('attemptAll() and deletions', () => {
  it('attemptAll() deletes children in the reverse order of owns, and stops after a refused deletion', async () => {
    const bench = await wardrobeOf({});
    bench.api.refuse = ({ verb, resource }) => (verb === 'delete' && resource === 'configmaps' ? denied : undefined);
    change(bench, { kinds: [] });
    await bench.pass('w');
    expect(writes(bench, 'delete')).toEqual(['services w', 'configmaps w']);
    expect(bench.api.all(Deployment)).toHaveLength(1);
  });

  it('attemptAll() returns the deletions that it did not begin', async () => {
    const bench = await wardrobeOf({});
    bench.api.refuse = ({ verb, resource }) => (verb === 'delete' && resource === 'configmaps' ? denied : undefined);
    change(bench, { kinds: [] });
    const seen = snapshotOf(bench.context, 'w');
    const steps = compute(bench.context, seen).plan.steps as readonly WriteStep[];
    const { unstarted } = await attemptAll(bench.context, seen, { steps, holds: new Map() });
    expect(unstarted.map(({ kind }) => kind.kind)).toEqual(['Deployment']);
  });

  it('attemptAll() stops after a deletion of a child that has changed since the snapshot', async () => {
    const bench = await wardrobeOf({});
    change(bench, { kinds: [] });
    bench.api.edit(ConfigMap, 'w', (object) => ({ ...object, data: { theirs: '1' } }));
    await bench.pass('w');
    expect(writes(bench, 'delete')).toEqual(['services w', 'configmaps w']);
  });

  it('attemptAll() deletes nothing before the other writes have ended', async () => {
    const bench = await wardrobeOf({ kinds: ['Service', 'ConfigMap'] });
    change(bench, { kinds: ['Deployment'] });
    await bench.pass('w');
    expect(bench.api.writes.map(({ verb, resource }) => `${verb} ${resource}`).slice(0, 3)).toEqual([
      'apply deployments.apps',
      'delete services',
      'delete configmaps',
    ]);
  });
});

describe('attemptAll() and creates of other resources', () => {
  it('attemptAll() records for each kind whether its creates were accepted', async () => {
    const bench = await wardrobeOf({ kinds: ['ConfigMap'], data: { key: 'a' } });
    expect([accepts(bench, ConfigMap), accepts(bench, Deployment)]).toEqual([true, false]);
    bench.api.refuse = ({ resource }) => (resource === 'deployments.apps' ? denied : undefined);
    change(bench, { kinds: ['ConfigMap', 'Deployment'] });
    await bench.pass('w');
    expect([accepts(bench, ConfigMap), accepts(bench, Deployment)]).toEqual([true, false]);
  });

  it('attemptAll() does not count an accepted apply as an accepted create', async () => {
    const bench = await wardrobeOf({ kinds: ['ConfigMap'], data: { key: 'a' } });
    bench.context.probes.noteCreates('default', 'ConfigMap', { refused: true });
    change(bench, { kinds: ['ConfigMap'], data: { key: 'b' } });
    await bench.pass('w');
    expect(bench.api.one(ConfigMap, 'w')['data']).toEqual({ key: 'b' });
    expect(accepts(bench, ConfigMap)).toBe(false);
  });

  it.each([
    {
      why: 'an apply was refused',
      verb: 'apply',
      refusal: denied,
      after: { kinds: ['ConfigMap'], data: { key: 'b' } },
    },
    { why: 'a deletion was refused', verb: 'delete', refusal: denied, after: { kinds: [] } },
  ])('attemptAll() still counts creates as accepted when $why', async ({ verb, refusal, after }) => {
    const bench = await wardrobeOf({ kinds: ['ConfigMap'], data: { key: 'a' } });
    bench.api.refuse = (request) => (request.verb === verb ? refusal : undefined);
    change(bench, after);
    await bench.pass('w');
    expect(writes(bench, verb)).toEqual(['configmaps w']);
    expect(accepts(bench, ConfigMap)).toBe(true);
  });

  it.each([
    { why: 'got no response', refusal: connectionLost(), expected: true },
    { why: 'failed for a moment', refusal: internalError('no leader'), expected: true },
    { why: 'was refused by quota', refusal: quotaExceeded('b'), expected: false },
  ])('attemptAll() counts creates as accepted: $expected, when the last one $why', async ({ refusal, expected }) => {
    const bench = shelves('a', 'b');
    await bench.pass('a');
    bench.api.refuse = ({ verb }) => (verb === 'create' ? refusal : undefined);
    await bench.pass('b');
    expect(accepts(bench, Pod)).toBe(expected);
  });

  it('attemptAll() sends one create first while a write of the same sort is on hold', async () => {
    const bench = new LoopBench(shelf);
    bench.declare('shelf', { books: Array.from({ length: 8 }, (_, index) => `book-${index}`) });
    bench.context.probes.noteCreates('default', 'Pod', { refused: false });
    bench.api.refuse = ({ verb, name }) => (verb === 'create' ? quotaExceeded(name) : undefined);
    await bench.pass('shelf');
    const first = writes(bench, 'create').length;
    expect(first).toBeGreaterThan(1);
    bench.context.probes.noteCreates('default', 'Pod', { refused: false });
    await bench.timers.advance(10_000);
    await bench.pass('shelf');
    expect(writes(bench, 'create')).toHaveLength(first + 1);
  });
});

it('attemptAll() counts the refusals of each write', async () => {
  let seen: readonly Refusal[] = [];
  const bench = new LoopBench(
    shelfThat((given) => {
      seen = given.refused;
      return shelf.desired(given);
    }),
  );
  bench.api.put(Pod, strangersPod('a'));
  bench.declare('shelf', { books: ['a', 'b'] });
  await bench.pass('shelf');
  bench.api.vanish(Pod, 'b');
  bench.api.put(Pod, strangersPod('b'));
  bench.catchUp();
  await bench.timers.advance(10_000);
  await bench.pass('shelf');
  await bench.pass('shelf');
  expect(seen.map(({ name, attempts }) => [name, attempts])).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
});

describe('attemptAll() in a namespace that is being deleted', () => {
  it('attemptAll() logs the refusal by the API server only', async () => {
    const { log, lines } = capturedLog();
    const bench = new LoopBench(shelf, log);
    for (const name of ['a', 'b']) bench.declare(name, { books: [`${name}-book`] });
    bench.api.refuse = ({ verb }) => (verb === 'create' ? namespaceTerminating('default') : undefined);
    for (const name of ['a', 'b']) await bench.pass(name);
    const entries = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(entries.filter(({ msg }) => msg === 'write refused').map(({ name }) => name)).toEqual(['a-book']);
  });

  it('attemptAll() refuses creates of other resources without a request for two seconds', async () => {
    const bench = shelves('a', 'b', 'c');
    bench.api.refuse = ({ verb }) => (verb === 'create' ? namespaceTerminating('default') : undefined);
    const counted: string[] = [];
    Object.assign(bench.context, {
      metrics: {
        ...bench.context.metrics,
        refused: (verb: string, reason: string) => void counted.push(`${verb} ${reason}`),
      },
    });
    await bench.pass('a');
    await bench.timers.advance(1500);
    await bench.pass('b');
    expect(writes(bench, 'create')).toEqual(['pods a-book']);
    expect(counted).toEqual(['create NamespaceTerminating', 'create NamespaceTerminating']);
    await bench.timers.advance(600);
    await bench.pass('c');
    expect(writes(bench, 'create')).toEqual(['pods a-book', 'pods c-book']);
  });

  it('attemptAll() still sends deletions', async () => {
    const bench = shelves('a', 'b');
    await bench.converge('a');
    bench.api.refuse = ({ verb }) => (verb === 'create' ? namespaceTerminating('default') : undefined);
    await bench.pass('b');
    bench.edit('a', { books: [] });
    bench.catchUp();
    await bench.pass('a');
    expect(bench.podNames()).toEqual([]);
  });
});

const adoption = async (isTakenOff: boolean) => {
  const bench = new LoopBench(shelf);
  const written: WrittenChild[] = [];
  const context = { ...bench.context, onChildWritten: (child: WrittenChild) => void written.push(child) };
  bench.api.put(Pod, strayPod('a'));
  bench.declare('shelf', { books: ['a'] });
  if (isTakenOff) setOwners(bench, 'pods');
  await reconcile(context, keyOf('default', 'shelf'));
  return [written.map(({ name, reason }) => [name, reason]), bench.events.map(({ type }) => type)];
};

describe('attemptAll() and its hooks', () => {
  it('attemptAll() reports each accepted write to onChildWritten, and no refused or outdated one', async () => {
    const bench = await wardrobeOf({ kinds: ['ConfigMap', 'Service'], data: { key: 'a' } });
    const written: WrittenChild[] = [];
    const context = { ...bench.context, onChildWritten: (child: WrittenChild) => void written.push(child) };
    bench.api.refuse = ({ resource }) => (resource === 'pods' ? denied : undefined);
    change(bench, { kinds: ['ConfigMap', 'Deployment', 'Pod'], data: { key: 'b' } });
    bench.api.edit(Service, 'w', (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 'b' } } }));
    await reconcile(context, keyOf('default', 'w'));
    expect(written.map(({ apiVersion, kind, name, reason }) => [apiVersion, kind, name, reason])).toEqual([
      ['apps/v1', 'Deployment', 'w', 'Missing'],
      ['v1', 'ConfigMap', 'w', 'Changed'],
    ]);
  });

  it('attemptAll() reports a create with a result that admission changed, in the hook and as an event', async () => {
    const bench = new LoopBench(wardrobe);
    const written: WrittenChild[] = [];
    bench.api.mutate = ({ resource }, body) =>
      resource === 'configmaps' ? { ...(body as object), data: { key: 'theirs' } } : body;
    bench.declare('w', { content: { kinds: ['ConfigMap'], data: { key: 'ours' } } });
    const context = { ...bench.context, onChildWritten: (child: WrittenChild) => void written.push(child) };
    await reconcile(context, keyOf('default', 'w'));
    expect(written).toMatchObject([{ kind: 'ConfigMap', name: 'w', reason: 'Missing' }]);
    expect(bench.events.map(({ type, reason }) => [type, reason])).toEqual([
      ['Normal', 'SuccessfulCreate'],
      ['Warning', 'FailedUpdate'],
      ['Normal', 'Complete'],
    ]);
  });

  it('attemptAll() reports an adoption, and not one whose owner reference a policy takes off', async () => {
    expect(await adoption(false)).toEqual([[['a', 'Restored']], ['Normal']]);
    expect(await adoption(true)).toEqual([[], ['Warning']]);
  });

  it('attemptAll() reports an apply whose owner reference a policy takes off', async () => {
    const bench = await wardrobeOf({ kinds: ['ConfigMap'], data: { key: 'a' } });
    const written: WrittenChild[] = [];
    const context = { ...bench.context, onChildWritten: (child: WrittenChild) => void written.push(child) };
    setOwners(bench, 'configmaps');
    change(bench, { kinds: ['ConfigMap'], data: { key: 'b' } });
    bench.events.length = 0;
    await reconcile(context, keyOf('default', 'w'));
    expect(written.map(({ name, reason }) => [name, reason])).toEqual([['w', 'Changed']]);
    expect(bench.events.map(({ type, reason }) => [type, reason]).slice(0, 2)).toEqual([
      ['Normal', 'SuccessfulUpdate'],
      ['Warning', 'FailedAdopt'],
    ]);
  });

  it('attemptAll() rejects with an error that is no response of the API server', async () => {
    const bench = shelves('a');
    bench.api.refuse = () => new InvariantError('a bug');
    await expect(bench.pass('a')).rejects.toThrow('a bug');
  });
});
