import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { goalsTable } from '#test/bench/report/goals-page.ts';
import { readLast } from '#test/bench/report/last.ts';
import { repository } from './repository.ts';

const page = readFileSync(join(repository, 'docs/benchmarks.md'), 'utf8');

it('docs/benchmarks.md shows the committed figures beside their goals, and hides none that is missed', async () => {
  const last = await readLast();
  expect(last).toBeDefined();
  if (!last) return;
  expect(page).toContain(goalsTable(last));
  const missed = Object.values(last.goals ?? {}).filter(({ verdict }) => verdict === 'missed');
  expect(page.match(/\*\*missed\*\*/g) ?? []).toHaveLength(missed.length);
});

it('a figure beside its goal says how far it is from it', () => {
  const table = goalsTable({
    date: '2026-01-01',
    machine: 'a machine',
    node: 'v24',
    kubernetes: 'v1.36',
    figures: { slow: 3, few: 25_000, met: 1, other: 7, unsure: 2 },
    goals: {
      slow: { goal: '≤ 1.5 s', verdict: 'missed' },
      few: { goal: '≥ 50,000', verdict: 'missed' },
      met: { goal: '≤ 1', verdict: 'met' },
      unsure: { goal: '≤ 1', verdict: 'unsteady' },
    },
  });
  expect(table.split('\n').filter((line) => /^\| (?!measure)/.test(line))).toEqual([
    '| slow | ≤ 1.5 s | 3 | **missed**, 2 times |',
    '| few | ≥ 50,000 | 25,000 | **missed**, 2 times |',
    '| met | ≤ 1 | 1 | met |',
    '| other |  | 7 | no goal |',
    '| unsure | ≤ 1 | 2 | not judged |',
  ]);
});
