import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  formatIssue,
  ImpureFunctionError,
  InvalidDefinitionError,
  InvalidDesiredError,
  InvalidResourceError,
  InvariantError,
  isReconcileError,
  ReconcileError,
} from '#lib/errors.ts';

const issues = [
  { path: 'spec.replicas', message: 'must be >= 0', value: -1 },
  { path: '', message: 'is not an object' },
];

/** A cycle, as YAML anchors can create it. */
const cycle: { self?: unknown } = {};
cycle.self = cycle;

const forbidden = { httpStatus: 403, reason: 'Forbidden', message: 'no' };

describe('ReconcileError', () => {
  it.each([
    {
      error: new ImpureFunctionError('desired()', { path: 'status', message: 'differs' }),
      name: 'ImpureFunctionError',
      code: 'ImpureFunction',
    },
    { error: new InvalidDefinitionError('PodSet', issues), name: 'InvalidDefinitionError', code: 'InvalidDefinition' },
    { error: new InvalidResourceError('PodSet "web"', issues), name: 'InvalidResourceError', code: 'InvalidResource' },
    { error: new InvalidDesiredError('PodSet "web"', issues), name: 'InvalidDesiredError', code: 'InvalidDesired' },
    { error: new ConfigurationError('no'), name: 'ConfigurationError', code: 'Configuration' },
    { error: new ConnectionError('no'), name: 'ConnectionError', code: 'Connection' },
    { error: new InvariantError('no'), name: 'InvariantError', code: 'Invariant' },
    { error: new ApiError('list pods', forbidden), name: 'ApiError', code: 'Forbidden' },
  ])('$name has its name, its code and the common base', ({ error, name, code }) => {
    expect({ name: error.name, code: error.code }).toEqual({ name, code });
    expect(error).toBeInstanceOf(ReconcileError);
    expect(error).toBeInstanceOf(Error);
    expect(isReconcileError(error)).toBe(true);
  });

  it('ReconcileError keeps its cause', () => {
    const cause = new Error('socket hang up');
    expect(new ConnectionError('Cannot list pods', { cause }).cause).toBe(cause);
  });

  it('ReconcileError lists every issue on a line of its own', () => {
    const { message, issues: kept } = new InvalidResourceError('PodSet "web"', issues);
    expect(message.split('\n')).toHaveLength(3);
    expect(message).toContain('spec.replicas: must be >= 0 (value: -1)');
    expect(message).toContain('(root): is not an object');
    expect(kept).toEqual(issues);
  });
});

describe('isReconcileError()', () => {
  it('isReconcileError() recognizes an error of another copy of the package', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('cdk8s-reconcile.error')]: true, code: 'Expired' });
    expect(isReconcileError(foreign)).toBe(true);
  });

  it.each([
    { value: new Error('x'), reason: 'it is any error' },
    { value: { [Symbol.for('cdk8s-reconcile.error')]: true }, reason: 'it only looks like one' },
    {
      value: Object.assign(new Error('x'), { [Symbol.for('cdk8s-reconcile.error')]: 'yes' }),
      reason: 'the mark is not true',
    },
    { value: null, reason: 'it is null' },
    { value: undefined, reason: 'it is nothing' },
    { value: 'Expired', reason: 'it is a string' },
  ])('isReconcileError() is false when $reason', ({ value }) => {
    expect(isReconcileError(value)).toBe(false);
  });
});

describe('formatIssue()', () => {
  it.each([
    { issue: { path: 'a.b', message: 'is wrong' }, line: 'a.b: is wrong', reason: 'only the least is known' },
    { issue: { path: '', message: 'is wrong' }, line: '(root): is wrong', reason: 'it is about the whole' },
    { issue: { path: 'a', message: 'm', value: 'x' }, line: 'a: m (value: "x")', reason: 'there is a value' },
    { issue: { path: 'a', message: 'm', value: null }, line: 'a: m (value: null)', reason: 'null is a value' },
    {
      issue: { path: 'a', message: 'm', value: undefined },
      line: 'a: m (value: undefined)',
      reason: 'it is there but undefined',
    },
    {
      issue: { path: 'a', message: 'm', value: 1, rule: 'r', fix: 'do this' },
      line: 'a: m (value: 1) [r]; do this',
      reason: 'everything is known',
    },
    {
      issue: { path: 'a', message: 'm', value: 'x'.repeat(200) },
      line: `a: m (value: "${'x'.repeat(79)}…)`,
      reason: 'the value is long',
    },
  ])('formatIssue() writes one line when $reason', ({ issue, line }) => {
    expect(formatIssue(issue)).toBe(line);
  });

  it('formatIssue() writes one line of bounded length, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const line = formatIssue({ path: 'a', message: 'm', value });
        expect(line.length).toBeLessThan(120);
        expect(line).not.toContain('\n');
      }),
    );
  });

  it.each([
    { value: 3n, reason: 'a bigint' },
    { value: { replicas: 3n }, reason: 'an object with a bigint' },
    { value: cycle, reason: 'an object that contains itself' },
  ])('formatIssue() names the path when the value is $reason', ({ value }) => {
    expect(formatIssue({ path: 'spec.replicas', message: 'must be an integer', value })).toContain('spec.replicas');
  });
});

describe('ApiError', () => {
  it('ApiError keeps what callers decide by', () => {
    const causes = [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }];
    const error = new ApiError('create pods', { ...forbidden, causes, retryAfterMs: 3000 });
    expect(error).toMatchObject({ httpStatus: 403, causes, retryAfterMs: 3000, serverMessage: 'no' });
  });

  it('ApiError has no causes and asks for no wait when the server named none', () => {
    expect(new ApiError('create pods', forbidden)).toMatchObject({ causes: [], retryAfterMs: undefined });
  });

  it('ApiError says what was asked and what was answered', () => {
    expect(new ApiError('list pods', forbidden).message).toBe('Cannot list pods: no (403 Forbidden)');
  });
});
