import { beforeAll, describe, expect, it } from 'vitest';
import { pageHtml } from '#lib/foresight/page/page-html.ts';
import type { ReportEvent, ReportRun } from '#lib/foresight/page/report-run.ts';
import { RunHistory } from '#lib/foresight/page/run-history.ts';
import { RunRecorder } from '#lib/foresight/page/run-recorder.ts';
import { simulate } from '#lib/foresight/simulate/simulate.ts';
import { kinds, podSetManifest } from '../simulate/stories.ts';
import { simulatedRun } from './runs.ts';

const script = {
  changes: [
    { at: '1m', scale: 'PodSet/web', to: 3 },
    { at: '2m', kill: { of: 'PodSet/web' } },
  ],
};

const VALUES = ['hunter2', Buffer.from('hunter2').toString('base64')];

describe('the report page of a simulation', () => {
  let run: ReportRun;
  let history: RunHistory;
  beforeAll(async () => {
    run = await simulatedRun([podSetManifest(2)], script);
    history = new RunHistory(run);
  });

  const eventsOf = (object: string): readonly ReportEvent[] =>
    run.events.filter((event) => {
      const { kind = '', name = '' } = run.objects[event.object ?? -1] ?? {};
      return `${kind}/${name}`.startsWith(object);
    });

  it('has each write of the operator with its reason and its changed fields', () => {
    const created = eventsOf('Pod/').filter(({ effect }) => effect === 'created');
    expect(created.map(({ who, why }) => [who, why])).toEqual(
      Array.from({ length: 4 }, () => ['operator-1', 'Missing']),
    );
    expect(created[0]?.fields).toContainEqual(['metadata.namespace', null, 'default']);
    const scaled = eventsOf('PodSet/').find(({ atMs, sort }) => atMs === 60_000 && sort === 'write');
    expect(scaled?.fields).toEqual([['spec.replicas', '2', '3']]);
  });

  it('names the change by the user as the cause of the writes that follow from the change', () => {
    const scale = run.events.findIndex(({ sort, atMs }) => sort === 'change' && atMs === 60_000);
    const stored = run.events.findIndex(({ sort, atMs }) => sort === 'write' && atMs === 60_000);
    const third = run.events.find(({ effect, atMs }) => effect === 'created' && atMs >= 60_000);
    expect(run.events[scale]).toMatchObject({ who: 'user', what: 'scaled from 2 to 3' });
    expect(run.events[stored]?.cause).toBe(scale);
    expect(third?.cause).toBe(stored);
  });

  it('has a cause before each event that has one', () => {
    const causes = run.events.flatMap(({ cause }, index) => (cause === undefined ? [] : [index - cause]));
    expect(causes.length).toBeGreaterThan(10);
    expect(Math.min(...causes)).toBeGreaterThan(0);
  });

  it('shows the tree, the states and the fields of any moment', () => {
    const at = (ms: number) => {
      const moment = history.momentAt(ms);
      const states = history.statesAt(moment);
      return {
        moment,
        states,
        tree: history.treeAt(states).map(({ object, depth }) => [run.objects[object]?.kind, depth]),
      };
    };
    expect(at(50_000).tree.filter(([kind]) => kind === 'Pod')).toEqual([
      ['Pod', 1],
      ['Pod', 1],
    ]);
    const { moment, states, tree } = at(110_000);
    expect(tree.filter(([kind]) => kind === 'Pod')).toHaveLength(3);
    const set = run.objects.findIndex(({ kind }) => kind === 'PodSet');
    expect(states.states.get(set)?.[1]).toBe('calm');
    expect(history.fieldsAt(set, moment).get('spec.replicas')).toBe('3');
    expect(history.fieldsAt(set, moment).get('status.conditions[type=Ready].status')).toBe('True');
    expect(history.statesAt(0)).toEqual({ owners: new Map(), states: new Map() });
  });

  it('does not change the report of the simulation', async () => {
    const options = { kinds, manifests: [podSetManifest(2)], script };
    expect(await simulate({ ...options, listener: new RunRecorder() })).toEqual(await simulate(options));
  });

  it('is the same, byte for byte, for the same run', async () => {
    expect(pageHtml(await simulatedRun([podSetManifest(2)], script))).toBe(pageHtml(run));
  });

  it('never contains the value of a Secret', async () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"stringData":{"key":"hunter2"}}' };
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'keys', annotations },
      stringData: { key: 'hunter2' },
    };
    const changed = { changes: [{ at: '1m', patch: 'Secret/keys', with: { data: { other: VALUES[1] ?? '' } } }] };
    const html = pageHtml(await simulatedRun([secret, podSetManifest(1)], changed));
    expect(html).toContain('Secret');
    expect(VALUES.filter((value) => html.includes(value))).toEqual([]);
  });
});
