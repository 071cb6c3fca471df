import { describe, expect, it } from 'vitest';
import { Trace, timeline } from '#lib/sim/world/step/trace.ts';

const entry = { atMs: 0, nature: 'progress', label: 'step', outcome: '' } as const;

describe('Trace', () => {
  it('add() counts the steps from 1, and gives each the remarks that were made since the one before', () => {
    const trace = new Trace();
    trace.note('a');
    trace.note('b');
    trace.add(entry);
    trace.add(entry);
    trace.note('never ended');
    expect(trace.entries.map(({ step, notes }) => [step, notes])).toEqual([
      [1, ['a', 'b']],
      [2, []],
    ]);
    expect(trace.step).toBe(3);
  });
});

/** The timeline of some steps, line by line. */
const linesOf = (
  ...steps: readonly (Partial<Parameters<Trace['add']>[0]> & { readonly note?: string })[]
): string[] => {
  const trace = new Trace();
  for (const { note, ...step } of steps) {
    if (note !== undefined) trace.note(note);
    trace.add({ ...entry, ...step });
  }
  return timeline(trace.entries).split('\n');
};

describe('timeline()', () => {
  it('timeline() shows number, time and outcome of each step, and marks the script and what went wrong', () => {
    const lines = linesOf(
      { label: 'user creates web', nature: 'script' },
      { label: 'operator-1 → create pods default/a', outcome: '201', atMs: 1500 },
      { label: 'answer lost: operator-1 create pods default/a', nature: 'fault', atMs: 1500, note: 'operator-1: oh' },
    );
    expect(lines).toEqual([
      '   1 >     +0.000s  user creates web',
      '   2       +1.500s  operator-1 → create pods default/a: 201',
      '   3 !     +1.500s  answer lost: operator-1 create pods default/a',
      '                      operator-1: oh',
    ]);
  });

  it('timeline() draws a request and its answer together when nothing came between', () => {
    const [asked, heard] = ['operator-1 → get pods x', 'operator-1 ← get pods x'];
    const together = linesOf({ label: asked, outcome: '200' }, { label: heard, outcome: '200', note: 'n' });
    expect(together).toEqual(['   1       +0.000s  operator-1 ⇄ get pods x: 200', '                      n']);
    expect(linesOf({ label: asked, outcome: '200' }, entry, { label: heard, outcome: '200' })).toHaveLength(3);
    expect(linesOf({ label: asked, outcome: '200' }, { label: heard, outcome: '500' })).toHaveLength(2);
  });

  it('timeline() leaves out that time passes, as the times show it', () => {
    expect(linesOf(entry, { nature: 'time', label: 'time passes' }, { atMs: 250 })).toEqual([
      '   1       +0.000s  step',
      '   3       +0.250s  step',
    ]);
  });
});
