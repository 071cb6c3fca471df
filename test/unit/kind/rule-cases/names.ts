import { s } from '#lib/kind/schema/schema.ts';
import { type RuleCase } from './rule-case.ts';

/** Cases of lib/kind/rules/names.ts. */
export const shapeCases: readonly RuleCase[] = [
  {
    rule: 'group',
    reason: 'a group is a domain',
    path: 'group',
    refused: { group: 'example' },
    accepted: { group: 'a.b' },
  },
  {
    rule: 'group',
    reason: 'a domain is in lower case',
    path: 'group',
    refused: { group: 'Rules.example.com' },
    accepted: {},
  },
  {
    rule: 'protected-group',
    reason: 'APIs of the project need approval',
    path: 'group',
    refused: { group: 'app.k8s.io' },
    accepted: { group: 'k8s.io.example.com' },
  },
  {
    rule: 'version',
    reason: 'a version is a DNS label',
    path: 'version',
    refused: { version: 'V1' },
    accepted: { version: 'v1' },
  },
  {
    rule: 'version',
    reason: 'a version begins with a letter',
    path: 'version',
    refused: { version: '1' },
    accepted: { version: 'v1' },
  },
  {
    rule: 'names',
    reason: 'a kind is a DNS label but for its capitals',
    path: 'kind',
    refused: { kind: 'Pro_be' },
    accepted: { kind: 'ProBe' },
  },
  {
    rule: 'names',
    reason: 'the list kind has four letters more',
    path: 'kind',
    refused: { kind: 'P'.repeat(60) },
    accepted: { kind: 'P'.repeat(59) },
  },
  {
    rule: 'names',
    reason: 'the plural is in lower case',
    path: 'plural',
    refused: { plural: 'Probes' },
    accepted: { plural: 'probez' },
  },
  {
    rule: 'names',
    reason: 'a short name is a DNS label',
    path: 'shortNames[1]',
    refused: { shortNames: ['pb', 'p.b'] },
    accepted: { shortNames: ['pb', 'p-b'] },
  },
  {
    rule: 'name-length',
    reason: 'no name is longer than 253',
    path: 'name.maxLength',
    refused: { name: { maxLength: 254 } },
    accepted: { name: { maxLength: 253 } },
    ours: true,
  },
  {
    rule: 'reserved-status',
    reason: 'the library maintains the conditions',
    path: 'status.conditions',
    refused: { status: s.object({ conditions: s.conditions() }) },
    accepted: { status: s.object({ checks: s.conditions() }) },
    ours: true,
  },
  {
    rule: 'reserved-status',
    reason: 'the library maintains the generation',
    path: 'status.observedGeneration',
    refused: { status: s.object({ observedGeneration: s.int32() }) },
    accepted: { status: s.object({ generation: s.int32() }) },
    ours: true,
  },
];
