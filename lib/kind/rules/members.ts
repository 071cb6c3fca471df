import type { Issue } from '#lib/errors.ts';
import type { KindShape } from '../shape.ts';

const isText = (value: unknown): boolean => typeof value === 'string';

const isSchema = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The required members of a definition, each with the rule that checks its content. */
const MEMBERS = [
  { path: 'group', rule: 'group', holds: isText, message: 'must be text', fix: 'such as apps.example.com' },
  { path: 'version', rule: 'version', holds: isText, message: 'must be text', fix: 'such as v1alpha1' },
  { path: 'kind', rule: 'names', holds: isText, message: 'must be text', fix: 'such as PodSet' },
  { path: 'spec', rule: 'object-part', holds: isSchema, message: 'must be a schema', fix: 'use s.object' },
  { path: 'status', rule: 'object-part', holds: isSchema, message: 'must be a schema', fix: 'use s.object' },
] as const;

/**
 * The issues of required members that are missing or have a wrong type, as in a definition in JavaScript. With such an issue, no
 * other rule can check the definition.
 */
export const memberIssues = (shape: KindShape): Issue[] =>
  MEMBERS.filter(({ path, holds }) => !holds(shape[path])).map(({ path, rule, message, fix }) => ({
    path,
    rule,
    message,
    value: shape[path],
    fix,
  }));
