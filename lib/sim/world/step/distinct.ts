import type { WorldStep } from './step.ts';

/** Steps under labels of their own: of several of the same name, such as a request that was sent again after a crash, the later ones are numbered. */
export const distinct = (steps: readonly WorldStep[]): readonly WorldStep[] => {
  const seen = new Map<string, number>();
  let isDistinct = true;
  for (const { label } of steps) {
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    isDistinct &&= count === 1;
  }
  if (isDistinct) return steps;
  seen.clear();
  return steps.map((step) => {
    const count = (seen.get(step.label) ?? 0) + 1;
    seen.set(step.label, count);
    return count === 1 ? step : { ...step, label: `${step.label} (${count})` };
  });
};
