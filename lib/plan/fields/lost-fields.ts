import { type FieldTree, isLeaf } from './pin.ts';

/** The path of a field in the notation of FieldsV1: `f:spec`, `f:replicas`. */
export type FieldWay = readonly string[];

/**
 * Returns the fields of `before` that are absent from `now`, for example because another manager has set or removed them. The
 * result has paths without values, so that the loop recognizes a repeated fight even if the other manager sets another value.
 */
export const lostFields = (before: FieldTree, now: FieldTree | undefined, way: FieldWay = []): readonly FieldWay[] => {
  if (now === undefined) return isLeaf(before) ? [way] : membersOf(before, undefined, way);
  return membersOf(before, now, way);
};

const membersOf = (before: FieldTree, now: FieldTree | undefined, way: FieldWay): readonly FieldWay[] =>
  Object.entries(before).flatMap(([step, below]) =>
    step === '.' ? [] : lostFields(below, now?.[step], [...way, step]),
  );

/** True if a set of managed fields contains a field. */
export const holdsField = (tree: FieldTree | undefined, [step, ...rest]: FieldWay): boolean => {
  if (tree === undefined) return false;
  return step === undefined || holdsField(tree[step], rest);
};

/** Formats the key of an element: `k:{"name":"main"}` becomes `[name=main]`. */
const elementName = (step: string): string => {
  const keys = Object.entries(JSON.parse(step.slice('k:'.length)) as Record<string, unknown>);
  return `[${keys.map(([key, value]) => `${key}=${String(value)}`).join(',')}]`;
};

const stepName = (step: string): string => {
  if (step.startsWith('k:')) return elementName(step);
  if (step.startsWith('f:')) return `.${step.slice('f:'.length)}`;
  return `[${step.slice('v:'.length)}]`;
};

/** Formats a field as users write it, such as `spec.template.spec.containers[name=main].image`. The first step is a member. */
export const fieldName = (way: FieldWay): string => way.map(stepName).join('').slice(1);
