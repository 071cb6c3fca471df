import { expect, it } from 'vitest';
import { conflict, forbidden } from '#lib/apiserver/machinery/status.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { answerOf, connectionLost } from '#test/unit/support/server-answers.ts';
import { strangersPod } from '#test/unit/support/shelf-kind.ts';

const pod = { group: '', kind: 'pods', name: 'a' };
const modified = answerOf(conflict(pod, 'modified'));

const touch = ({ api }: LoopBench): void =>
  api.edit(Pod, 'a', (it) => ({ ...it, metadata: { ...it.metadata, finalizers: ['example.com/keep'] } }));

// The first live gets are of the resource, once for each pass, and of the pod.
it.each([
  {
    why: 'admission denies it',
    refusal: answerOf(forbidden(pod, 'a policy denies it')),
    gets: 2,
    events: ['FailedAdopt'],
  },
  { why: 'no response comes', refusal: connectionLost(), gets: 2, events: ['FailedAdopt'] },
  { why: 'the version differs although the pod is unchanged', refusal: modified, gets: 3, events: ['FailedAdopt'] },
  { why: 'the pod has changed', refusal: modified, change: touch, gets: 3, events: [] },
])('adoptChild() makes $gets live gets and has the events $events when $why', async (given) => {
  const { refusal, change = () => undefined, gets, events } = given;
  const bench = new LoopBench();
  const labels = { 'demo.example.com/shelf': 'shelf' };
  bench.api.put(Pod, strangersPod('a', { labels, annotations: { 'cdk8s-reconcile/intent': 'x7k2p9dqzt' } }));
  bench.declare('shelf', { books: ['a'] });
  bench.api.refuse = ({ verb }) => {
    if (verb !== 'apply') return undefined;
    change(bench);
    return refusal;
  };
  await bench.pass('shelf');
  expect(bench.api.requests.filter(({ verb }) => verb === 'get')).toHaveLength(gets);
  expect(bench.events.filter(({ type }) => type === 'Warning').map(({ reason }) => reason)).toEqual(events);
});
