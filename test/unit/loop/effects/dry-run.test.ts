import { describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { ConnectionError } from '#lib/errors.ts';
import { type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { quotaExceeded } from '#test/unit/support/server-answers.ts';
import { bookPod, strangersPod } from '#test/unit/support/shelf-kind.ts';

/** A kind that requests a dry run of a pod, and reports the result in its status. */
const askerOf = (object: KubeObject): AnyKindDefinition =>
  defineKind({
    group: 'demo.example.com',
    version: 'v1',
    kind: 'Asker',
    spec: s.object({}),
    status: s.object({ answer: s.string() }),
    owns: [Pod],
    desired({ outcomes }) {
      const outcome = outcomes.dryRun('pod');
      const isOver = outcome.state === 'succeeded';
      const answer = isOver ? `${outcome.value.accepted} ${outcome.value.message}` : outcome.state;
      return {
        children: [],
        status: { answer },
        state: isOver ? ready('Asked', 'asked') : progressing('Asking', 'asking'),
        effects: [{ effect: 'dryRun', key: 'pod', object }],
      };
    },
  });

const asked = async (object: KubeObject, prepare: (bench: LoopBench) => void = () => undefined) => {
  const bench = new LoopBench(askerOf(object));
  prepare(bench);
  started(bench);
  bench.declare('asker', {});
  await live(bench, 2000);
  return { bench, answer: bench.statusOf('asker')['answer'] };
};

describe('performDryRun()', () => {
  it('performDryRun() reports that an object would be accepted, and stores nothing', async () => {
    const { bench, answer } = await asked(bookPod('book'));
    expect(answer).toBe('true ');
    expect(bench.pods()).toEqual([]);
  });

  it('performDryRun() reports that an object would be refused, and why', async () => {
    const pod = { ...bookPod('book'), spec: { containers: [{ name: 'Not A Name', image: 'busybox' }] } };
    const { answer } = await asked(pod);
    expect(answer).toMatch(/^false .*spec\.containers\[0\]\.name/);
  });

  it('performDryRun() reports that an object would be accepted when only its name is taken', async () => {
    const { answer } = await asked(bookPod('book'), (bench) => void bench.api.put(Pod, strangersPod('book')));
    expect(answer).toBe('true ');
  });

  it.each([
    { error: quotaExceeded('book'), reason: 'a quota refuses, which says nothing of the object' },
    { error: new ConnectionError('down'), reason: 'no answer comes' },
  ])('performDryRun() asks again for as long as $reason', async ({ error }) => {
    let refusals = 0;
    const { bench } = await asked(bookPod('book'), ({ api }) => {
      api.refuse = ({ verb }) => {
        if (verb !== 'create' || refusals === 20) return undefined;
        refusals += 1;
        return error;
      };
    });
    expect(bench.statusOf('asker')['answer']).toBe('none');
    await live(bench, 30 * 60_000);
    expect({ refusals, answer: bench.statusOf('asker')['answer'] }).toEqual({ refusals: 20, answer: 'true ' });
  });

  it.each<{ object: object; reason: string; fault: RegExp }>([
    {
      object: { metadata: { name: 'book', namespace: 'kube-system' } },
      reason: 'is of another namespace',
      fault: /namespace/,
    },
    { object: { kind: 'Secret' }, reason: 'is of a kind that is not owned', fault: /kind/ },
    {
      object: { metadata: { name: 'book', ownerReferences: [] } },
      reason: 'names its owners',
      fault: /ownerReferences/,
    },
  ])('performDryRun() is not reached when the object $reason', async ({ object, fault }) => {
    const { bench } = await asked({ ...bookPod('book'), ...object });
    expect(bench.conditionOf('asker', 'Stalled')).toMatchObject({ status: 'True', reason: 'InvalidDesired' });
    expect(bench.conditionOf('asker', 'Stalled')?.message).toMatch(fault);
    expect(bench.api.requests.filter(({ verb }) => verb === 'create')).toEqual([]);
  });
});
