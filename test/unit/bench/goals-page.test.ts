import { expect, it } from 'vitest';
import { goalsTable } from '#test/bench/report/goals-page.ts';

const last = { date: '2026-01-01', machine: 'a machine', node: 'v24', kubernetes: 'v1.36' };

it('goalsTable() shows layers in a table of their own, with their shares', () => {
  const figures = {
    'P1: 1000 PodSets': 2,
    'LAYER: TLS, sockets and HTTP: part of P6b with 1000 PodSets': 1.5,
    'LAYER: events: part of P6b with 1000 PodSets': 0.5,
  };
  const rows = goalsTable({ ...last, figures }).split('\n');
  expect(rows.filter((line) => line.startsWith('|'))).toEqual([
    '| measure | goal | last | |',
    '|---|---|---|---|',
    '| P1: 1000 PodSets |  | 2 | no goal |',
    '| layer | part of P6b with 1000 PodSets | of the operator |',
    '|---|---|---|',
    '| TLS, sockets and HTTP | 1.5 | 75 % |',
    '| events | 0.5 | 25 % |',
  ]);
});

it('goalsTable() has one table when no layers were measured', () => {
  expect(
    goalsTable({ ...last, figures: { 'P1: 1000 PodSets': 2 } })
      .split('\n')
      .filter((line) => line.startsWith('|---')),
  ).toHaveLength(1);
});
