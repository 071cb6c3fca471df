import { type FieldTree, isLeaf } from './pin.ts';

/** The way to a field, in the steps of FieldsV1: `f:spec`, `f:replicas`. */
export type FieldWay = readonly string[];

/**
 * The fields that were owned by the operator and are no longer, because another manager has set them. They are identified by path, not
 * by value, so that a repeated fight over a field is recognised.
 */
export const lostFields = (before: FieldTree, now: FieldTree | undefined, way: FieldWay = []): readonly FieldWay[] => {
  if (now === undefined) return isLeaf(before) ? [way] : membersOf(before, undefined, way);
  return membersOf(before, now, way);
};

const membersOf = (before: FieldTree, now: FieldTree | undefined, way: FieldWay): readonly FieldWay[] =>
  Object.entries(before).flatMap(([step, below]) =>
    step === '.' ? [] : lostFields(below, now?.[step], [...way, step]),
  );

/** True when a set of fields, as a manager of managedFields has it, holds a field. */
export const holdsField = (tree: FieldTree | undefined, [step, ...rest]: FieldWay): boolean => {
  if (tree === undefined) return false;
  return step === undefined || holdsField(tree[step], rest);
};

/** Elements by their keys: `k:{"name":"main"}` → `[name=main]`. */
const elementName = (step: string): string => {
  const keys = Object.entries(JSON.parse(step.slice('k:'.length)) as Record<string, unknown>);
  return `[${keys.map(([key, value]) => `${key}=${String(value)}`).join(',')}]`;
};

const stepName = (step: string): string => {
  if (step.startsWith('k:')) return elementName(step);
  if (step.startsWith('f:')) return `.${step.slice('f:'.length)}`;
  return `[${step.slice('v:'.length)}]`;
};

/** A field as people write it: `spec.template.spec.containers[name=main].image`. */
export const fieldName = (way: FieldWay): string => way.map(stepName).join('').replace(/^\./, '');
