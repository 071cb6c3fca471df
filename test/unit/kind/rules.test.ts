import { describe, expect, it } from 'vitest';
import { InvalidDefinitionError, type Issue } from '#lib/errors.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { SCHEMA_RULES, SHAPE_RULES } from '#lib/kind/rules/index.ts';
import { REMEDIES } from '#lib/kind/rules/remedies.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { baseShape, RULE_CASES } from './rule-cases.ts';

const issuesOf = (shape: KindShape): readonly Issue[] => {
  try {
    compileCrd(shape);
    return [];
  } catch (error) {
    if (error instanceof InvalidDefinitionError) return error.issues;
    throw error;
  }
};

describe('rules', () => {
  it.each(RULE_CASES)('$rule refuses, and names the way out: $reason', ({ rule, refused, path }) => {
    expect(issuesOf({ ...baseShape, ...refused })).toContainEqual(
      expect.objectContaining({ rule, path, fix: expect.stringMatching(/./) as unknown }),
    );
  });

  it.each(RULE_CASES)('$rule accepts the opposite: $reason', ({ accepted }) => {
    expect(issuesOf({ ...baseShape, ...accepted })).toEqual([]);
  });

  it('every rule has a case and an id of its own', () => {
    const ids = [...SHAPE_RULES, ...SCHEMA_RULES].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Object.keys(REMEDIES).filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(RULE_CASES.map(({ rule }) => rule))).toEqual(new Set(ids));
  });

  it('compileCrd() reports all issues at once', () => {
    const patches = RULE_CASES.filter(({ rule }) => rule === 'group' || rule === 'version' || rule === 'pattern');
    const issues = issuesOf(Object.assign({}, baseShape, ...patches.map(({ refused }) => refused)));
    expect(new Set(issues.map(({ rule }) => rule))).toEqual(new Set(['group', 'version', 'pattern']));
  });
});
