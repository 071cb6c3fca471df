import { describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { EXCEPTIONS_ANNOTATION } from '#lib/kind/lint/exceptions.ts';
import { lintKind, SCHEMA_LINTS, SHAPE_LINTS } from '#lib/kind/lint/index.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { between } from '#lib/kind/versions/between.ts';
import { portal } from '#test/examples/authors/portal.ts';
import { shepherd } from '#test/examples/authors/shepherd.ts';
import { watchdog } from '#test/examples/authors/watchdog.ts';
import { builderFields } from './builder-cases.ts';
import { LINT_CASES } from './lint-cases.ts';
import { baseShape } from './rule-cases.ts';

const LINTS = [...SHAPE_LINTS, ...SCHEMA_LINTS];
const isWaivable = (rule: string): boolean => LINTS.find(({ id }) => id === rule)?.severity === 'lint';

const floating = {
  ...baseShape,
  spec: s.object({ ratio: s.unsafe<number>({ type: 'number', minimum: 0, maximum: 1 }) }),
};
const exception = { rule: 'no-float', path: 'spec.ratio', reason: 'the classic kind has it' };

describe('lintKind()', () => {
  it.each(LINT_CASES)('$rule refuses: $reason', ({ rule, refused, path }) => {
    const issue = expect.objectContaining({ rule, path, fix: expect.any(String) as string }) as unknown;
    expect(lintKind({ ...baseShape, ...refused })).toContainEqual(issue);
  });

  it.each(LINT_CASES)('$rule accepts the opposite: $reason', ({ accepted }) => {
    expect(lintKind({ ...baseShape, ...accepted })).toEqual([]);
  });

  it('lintKind() finds nothing in what the builders make by themselves', () => {
    const spec = s.object({ ...builderFields, on: s.boolean({ default: true }), of: s.conditions() });
    expect(lintKind({ ...baseShape, spec })).toEqual([]);
  });

  it.each([portal, shepherd, watchdog])('lintKind() finds nothing in $kind of docs/authors.md', (kind) => {
    expect(lintKind(kind)).toEqual([]);
  });

  describe('of several versions', () => {
    const { version: _, ...identity } = floating;
    const at = (version: string, more: object = {}) => ({ ...floating, version, ...more });
    const shape = {
      ...identity,
      ...at('v1'),
      versions: [between(at('v1alpha1'), at('v1beta1')), between(at('v1beta1'), at('v1'))],
    };

    it('lintKind() judges every one that is served, and names it', () => {
      const paths = ['v1alpha1 spec.ratio', 'v1beta1 spec.ratio', 'v1 spec.ratio'];
      expect(lintKind(shape).map(({ rule, path }) => [rule, path])).toEqual(paths.map((path) => ['no-float', path]));
      const unserved = at('v1alpha1', { served: false });
      const versions = [between(unserved, at('v1beta1')), between(at('v1beta1'), at('v1'))];
      expect(lintKind({ ...shape, versions }).map(({ path }) => path)).toEqual(paths.slice(1));
    });

    it('lintKind() excepts a path in all of them, or in the one that is named', () => {
      expect(lintKind({ ...shape, lintExceptions: [exception] })).toEqual([]);
      const one = { ...exception, path: 'v1beta1 spec.ratio' };
      const left = lintKind({ ...shape, lintExceptions: [one] });
      expect(left.map(({ path }) => path)).toEqual(['v1alpha1 spec.ratio', 'v1 spec.ratio']);
    });
  });

  it('every convention has a case and an id of its own', () => {
    const ids = LINTS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(LINT_CASES.map(({ rule }) => rule))).toEqual(new Set(ids));
  });

  it.each(kinds)('$kind keeps every convention, or says why not', (kind) => {
    expect(lintKind(kind)).toEqual([]);
  });

  it.each(LINT_CASES.filter(({ rule }) => isWaivable(rule)))(
    '$rule can be excepted: $reason',
    ({ rule, path, refused }) => {
      const lintExceptions = [{ rule, path, reason: 'a test' }];
      expect(lintKind({ ...baseShape, ...refused, lintExceptions })).toEqual([]);
    },
  );

  it.each(LINT_CASES.filter(({ rule }) => !isWaivable(rule)))(
    '$rule cannot be excepted: $reason',
    ({ rule, path, refused }) => {
      const issues = lintKind({ ...baseShape, ...refused, lintExceptions: [{ rule, path, reason: 'a test' }] });
      expect(issues.map((issue) => issue.rule)).toEqual(expect.arrayContaining([rule, 'lint-exception']));
    },
  );

  it.each([
    { reason: 'finds nothing', lintExceptions: [{ ...exception, path: 'spec.b' }], says: 'finds nothing there' },
    { reason: 'comes twice', lintExceptions: [exception, exception], says: 'finds nothing there' },
    { reason: 'says no reason', lintExceptions: [{ ...exception, reason: ' ' }], says: 'needs a reason' },
    { reason: 'says it in lines', lintExceptions: [{ ...exception, reason: 'a\nb' }], says: 'needs a reason' },
    { reason: 'is of no rule', lintExceptions: [{ ...exception, rule: 'no-such' }], says: 'unknown' },
  ])('lintKind() refuses an exception that $reason', ({ lintExceptions, says }) => {
    const issues = lintKind({ ...floating, lintExceptions });
    expect(issues).toContainEqual(
      expect.objectContaining({
        path: `lintExceptions[${lintExceptions.length - 1}]`,
        rule: 'lint-exception',
        message: expect.stringContaining(says) as string,
      }),
    );
  });

  it('compileCrd() shows exceptions in the definition', () => {
    const { annotations } = compileCrd({ ...floating, lintExceptions: [exception] }).metadata;
    expect(annotations).toEqual({ [EXCEPTIONS_ANNOTATION]: 'no-float at spec.ratio: the classic kind has it' });
    expect(compileCrd(floating).metadata).not.toHaveProperty('annotations');
  });
});
