import { describe, expect, it } from 'vitest';
import { CoverageRecorder } from '#lib/sim/explore/coverage.ts';
import type { TraceEntry } from '#lib/sim/world/step/trace.ts';

const create = { write: 'create pods' };
const patch = { write: 'patch podsets/status' };

const entry = (label: string, more: Partial<TraceEntry> = {}): TraceEntry => ({
  step: 1,
  atMs: 0,
  nature: more.fault === undefined ? 'progress' : 'fault',
  label,
  outcome: '',
  notes: [],
  ...more,
});

const reportOf = (...runs: readonly (readonly TraceEntry[])[]) => {
  const recorder = new CoverageRecorder();
  for (const run of runs) recorder.add(run);
  return recorder.report();
};

describe('CoverageRecorder', () => {
  it('report() names every write of all runs, and the writes that each fault hit', () => {
    const report = reportOf(
      [
        entry('op → create pods default/a', create),
        entry('answer lost: op create pods default/a', { ...create, fault: 'answer lost' }),
      ],
      [entry('conflict: op patch podsets/status default/web', { ...patch, fault: 'conflict' })],
    );
    expect(report).toEqual({
      writes: ['create pods', 'patch podsets/status'],
      hit: {
        'request lost': [],
        'answer lost': ['create pods'],
        'error answer': [],
        conflict: ['patch podsets/status'],
        crash: [],
      },
    });
  });

  it('report() counts a crash for a handled write without a received response, and for no other write', () => {
    const { hit } = reportOf([
      entry('op → create pods default/a', create),
      entry('op ← create pods default/a', create),
      entry('op → patch podsets/status default/web', patch),
      entry('crash: op', { fault: 'crash' }),
      entry('op → create pods default/b', create),
    ]);
    expect(hit.crash).toEqual(['patch podsets/status']);
  });

  it('report() does not count a crash for a write whose response was lost before', () => {
    const { hit } = reportOf([
      entry('op → create pods default/a', create),
      entry('answer lost: op create pods default/a', { ...create, fault: 'answer lost' }),
      entry('crash: op', { fault: 'crash' }),
    ]);
    expect(hit.crash).toEqual([]);
  });
});
