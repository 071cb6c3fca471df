import { describe, expect, it } from 'vitest';
import { adopt, apply, keep, release, remove } from '#lib/desired/result/intent.ts';
import { resultIssues } from '#lib/desired/result/result-check.ts';
import { progressing, ready, stalled } from '#lib/desired/result/state.ts';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
const fine = { children: [], status: {}, state: ready('Fine', 'all is well') };
const condition = { type: 'Available', status: 'True', reason: 'Enough', message: '3 of 3' };

const pathsOf = (result: unknown): string[] => resultIssues(result).map(({ path }) => path);

describe('resultIssues()', () => {
  it.each([
    { result: fine, reason: 'it says the least that it must' },
    {
      result: { ...fine, children: [apply(pod), keep(pod), adopt(pod), release(pod), remove(pod, 'Why')] },
      reason: 'it uses every verb',
    },
    {
      result: { ...fine, state: progressing('A_1,b:c', '') },
      reason: 'a reason may have what metav1.Condition allows',
    },
    { result: { ...fine, state: stalled('No', 'x'.repeat(32_768)) }, reason: 'the message is as long as it may be' },
    { result: { ...fine, conditions: [] }, reason: 'it has no conditions' },
    {
      result: { ...fine, conditions: [condition, { ...condition, type: 'Progressing', status: 'Unknown' }] },
      reason: 'it has conditions',
    },
  ])('resultIssues() finds nothing when $reason', ({ result }) => {
    expect(resultIssues(result)).toEqual([]);
  });

  it.each([
    { result: undefined, paths: [''], reason: 'there is no result' },
    { result: null, paths: [''], reason: 'it is null' },
    { result: [], paths: [''], reason: 'it is a list' },
    { result: Promise.resolve(fine), paths: [''], reason: 'it is a promise' },
    { result: { ...fine, children: undefined }, paths: ['children'], reason: 'there are no children' },
    { result: { ...fine, children: [apply(pod), null] }, paths: ['children[1]'], reason: 'an intent is null' },
    { result: { ...fine, children: [{ verb: 'apply' }] }, paths: ['children[0]'], reason: 'an intent has no object' },
    {
      result: { ...fine, children: [{ verb: 'destroy', object: pod }] },
      paths: ['children[0].verb'],
      reason: 'a verb is unknown',
    },
    { result: { ...fine, children: [{ object: pod }] }, paths: ['children[0].verb'], reason: 'a verb is missing' },
    { result: { ...fine, status: undefined }, paths: ['status'], reason: 'there is no status' },
    { result: { ...fine, status: [] }, paths: ['status'], reason: 'the status is a list' },
    { result: { ...fine, state: 'ready' }, paths: ['state'], reason: 'the state is a word' },
    {
      result: { ...fine, state: { ...fine.state, state: 'great' } },
      paths: ['state.state'],
      reason: 'the state is unknown',
    },
    { result: { ...fine, state: ready('', 'm') }, paths: ['state.reason'], reason: 'the reason is empty' },
    {
      result: { ...fine, state: ready('not ready', 'm') },
      paths: ['state.reason'],
      reason: 'the reason is a sentence',
    },
    {
      result: { ...fine, state: ready('R'.repeat(1025), 'm') },
      paths: ['state.reason'],
      reason: 'the reason is too long',
    },
    {
      result: { ...fine, state: ready('R', 'm'.repeat(32_769)) },
      paths: ['state.message'],
      reason: 'the message is too long',
    },
    {
      result: { ...fine, state: { state: 'ready' } },
      paths: ['state.reason', 'state.message'],
      reason: 'nothing is explained',
    },
    { result: { ...fine, conditions: {} }, paths: ['conditions'], reason: 'the conditions are no list' },
    { result: { ...fine, conditions: [null] }, paths: ['conditions[0]'], reason: 'a condition is null' },
    {
      result: { ...fine, conditions: [{ ...condition, type: 'Ready' }] },
      paths: ['conditions[0].type'],
      reason: 'a condition is derived',
    },
    {
      result: { ...fine, conditions: [{ ...condition, type: '' }] },
      paths: ['conditions[0].type'],
      reason: 'a type is empty',
    },
    {
      result: { ...fine, conditions: [{ ...condition, status: true }] },
      paths: ['conditions[0].status'],
      reason: 'a status is a boolean',
    },
    {
      result: { ...fine, conditions: [condition, condition] },
      paths: ['conditions[1].type'],
      reason: 'a condition comes twice',
    },
  ])('resultIssues() finds $paths when $reason', ({ result, paths }) => {
    expect(pathsOf(result)).toEqual(paths);
  });

  it.each([{ type: 'is available' }, { type: '-Available' }, { type: 'A'.repeat(317) }])(
    'resultIssues() finds the type when it is no qualified name: $type',
    ({ type }) => {
      expect(pathsOf({ ...fine, conditions: [{ ...condition, type }] })).toEqual(['conditions[0].type']);
    },
  );

  it('resultIssues() finds the reason when a removal has none', () => {
    const children = [{ verb: 'remove', object: pod }];
    expect(pathsOf({ ...fine, children })).toEqual(['children[0].because']);
  });

  it.each([{ seconds: -1 }, { seconds: 1.5 }, { seconds: '0' }, { seconds: Number.NaN }])(
    'resultIssues() finds the grace period when it is $seconds',
    ({ seconds }) => {
      const children = [{ ...remove(pod, 'Why'), gracePeriodSeconds: seconds }];
      expect(pathsOf({ ...fine, children })).toEqual(['children[0].gracePeriodSeconds']);
    },
  );
});
