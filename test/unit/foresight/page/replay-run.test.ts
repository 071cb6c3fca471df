import { describe, expect, it } from 'vitest';
import { ready, type State, stalled } from '#lib/desired/result/state.ts';
import { replayRun } from '#lib/foresight/page/runs/replay-run.ts';
import type { Replayed } from '#lib/foresight/replay/replay-pass.ts';

const replayed = (key: string, state: State): Replayed => ({
  pass: 1,
  kind: 'Shelf',
  key,
  at: '2026-11-21T09:30:00Z',
  answer: { state, steps: [], status: {}, failed: false },
  differences: [],
  unanswered: [],
});

describe('replayRun()', () => {
  it('replayRun() colours a pass by its state, and gives no namespace to a cluster-scoped resource', () => {
    const run = replayRun([replayed('default/a', ready('Done', 'done')), replayed('/b', stalled('Bad', 'bad'))]);
    expect(run.objects).toEqual([
      { kind: 'Shelf', name: 'a', namespace: 'default' },
      { kind: 'Shelf', name: 'b' },
    ]);
    expect(run.events.map(({ state }) => state)).toEqual([
      ['ready · Done', 'calm'],
      ['stalled · Bad', 'bad'],
    ]);
  });
});
