import { s } from '#lib/kind/schema/schema.ts';
import type { RuleCase } from './rule-case.ts';

const replicas = {
  spec: s.object({ replicas: s.int32(), name: s.string() }),
  status: s.object({ replicas: s.int32(), selector: s.string() }),
};
const scale = { spec: '.spec.replicas', status: '.status.replicas' };
const column = { name: 'Wanted', type: 'integer', jsonPath: '.spec.replicas' } as const;

/** Cases of lib/kind/rules/paths.ts. */
export const pathCases: readonly RuleCase[] = [
  {
    rule: 'scale-path',
    reason: 'wanted replicas stand in the spec',
    path: 'scale.spec',
    refused: { ...replicas, scale: { ...scale, spec: '.status.replicas' } },
    accepted: { ...replicas, scale },
  },
  {
    rule: 'scale-path',
    reason: 'seen replicas stand in the status',
    path: 'scale.status',
    refused: { ...replicas, scale: { ...scale, status: '.spec.replicas' } },
    accepted: { ...replicas, scale },
  },
  {
    rule: 'scale-path',
    reason: 'the selector is no metadata',
    path: 'scale.selector',
    refused: { ...replicas, scale: { ...scale, selector: '.metadata.name' } },
    accepted: { ...replicas, scale: { ...scale, selector: '.status.selector' } },
  },
  {
    rule: 'scale-field',
    reason: 'the field exists',
    path: 'scale.spec',
    refused: { ...replicas, scale: { ...scale, spec: '.spec.size' } },
    accepted: { ...replicas, scale },
    ours: true,
  },
  {
    rule: 'scale-field',
    reason: 'replicas are a number',
    path: 'scale.spec',
    refused: { ...replicas, scale: { ...scale, spec: '.spec.name' } },
    accepted: { ...replicas, scale },
    ours: true,
  },
  {
    rule: 'columns',
    reason: 'a column has a name',
    path: 'columns[0].name',
    refused: { ...replicas, columns: [{ ...column, name: '' }] },
    accepted: { ...replicas, columns: [column] },
  },
  {
    rule: 'columns',
    reason: 'columns have their own types',
    path: 'columns[0].type',
    refused: { ...replicas, columns: [{ ...column, type: 'int' as 'integer' }] },
    accepted: { ...replicas, columns: [column] },
  },
  {
    rule: 'columns',
    reason: 'columns have few formats',
    path: 'columns[0].format',
    refused: { ...replicas, columns: [{ ...column, format: 'int16' as 'int32' }] },
    accepted: { ...replicas, columns: [{ ...column, format: 'int32' }] },
  },
  {
    rule: 'columns',
    reason: 'paths begin at the root',
    path: 'columns[0].jsonPath',
    refused: { ...replicas, columns: [{ ...column, jsonPath: 'spec.replicas' }] },
    accepted: { ...replicas, columns: [column] },
  },
  {
    rule: 'column-path',
    reason: 'a column of nothing stays empty',
    path: 'columns[0].jsonPath',
    refused: { ...replicas, columns: [{ ...column, jsonPath: '.spec.size' }] },
    accepted: { ...replicas, columns: [{ ...column, jsonPath: '.status.conditions[?(@.type=="Ready")].status' }] },
    ours: true,
  },
];
