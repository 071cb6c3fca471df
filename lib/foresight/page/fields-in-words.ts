import type { ReportField } from './report-run.ts';

const MAX_NAMED = 3;
const MAX_SHORT = 32;

const CONDITION_STATUS = /\.conditions\[type=([^\]]+)\]\.status$/;

/** Matches times, observed generations, and members of conditions other than the status. */
const REPEATING = /Time$|\.conditions\[type=[^\]]+\]\.(?!status$)|observedGeneration$/;

const isShort = (value: string | null): boolean => value === null || value.length <= MAX_SHORT;

const oneInWords = ([path, before, after]: ReportField): string => {
  const name = CONDITION_STATUS.exec(path)?.[1] ?? path.replace(/^(?:spec|status|metadata)\./, '');
  if (!isShort(before) || !isShort(after)) return `${name} changed`;
  return before === null ? `${name} ${after}` : `${name} ${before} → ${after ?? 'none'}`;
};

/**
 * Describes up to three changed fields, such as `Ready False → True, availableReplicas 0 → 1 and 4 more`. Statuses of conditions
 * come first.
 */
export const fieldsInWords = (fields: readonly ReportField[]): string => {
  if (fields.length === 0) return 'written without a visible change';
  const telling = fields.filter(([path]) => !REPEATING.test(path));
  const conditions = telling.filter(([path]) => CONDITION_STATUS.test(path));
  const others = telling.filter(([path]) => !CONDITION_STATUS.test(path));
  const named = (telling.length === 0 ? fields : [...conditions, ...others]).slice(0, MAX_NAMED);
  const more = fields.length - named.length;
  return `${named.map(oneInWords).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};
