import type { Issue } from '#lib/errors.ts';
import type { LintException } from '../shape.ts';

/** The annotation of a CRD with the exceptions of its kind, for reviewers. */
export const EXCEPTIONS_ANNOTATION = 'cdk8s-reconcile/lint-exceptions';

/**
 * The maximum length of a reason, in characters. This limit allows one or two sentences, so that the annotation stays readable.
 */
const REASON_LENGTH = 300;

/**
 * Whether an exception covers a finding. If a kind has several versions, an exception without a version applies to all of them.
 */
const covers = (exception: LintException, issue: Issue): boolean =>
  exception.rule === issue.rule && (exception.path === issue.path || issue.path.endsWith(` ${exception.path}`));

const problemOf = (
  { rule, path, reason }: LintException,
  { isNeeded, waivable }: { readonly isNeeded: boolean; readonly waivable: ReadonlySet<string> },
): Pick<Issue, 'message' | 'fix'> | undefined => {
  if (!waivable.has(rule)) {
    const message = `${rule} is an error or unknown, and cannot be excepted`;
    return { message, fix: `these can: ${[...waivable].toSorted().join(', ')}` };
  }
  if (reason.trim() === '' || reason.length > REASON_LENGTH || /[\n\r]/.test(reason)) {
    return {
      message: `the exception of ${rule} needs a reason: one line of at most ${REASON_LENGTH} characters`,
      fix: 'give the reason why it is right here',
    };
  }
  return isNeeded
    ? undefined
    : { message: `${rule} is excepted at ${path}, and finds nothing there`, fix: 'take the exception out' };
};

/**
 * Removes the findings that the exceptions of a definition cover, and adds findings about invalid or unused exceptions.
 *
 * @param issues - all findings
 * @param options - `exceptions`: the exceptions of the definition; `waivable`: the rules that allow exceptions
 */
export const withoutExceptions = (
  issues: readonly Issue[],
  { exceptions, waivable }: { readonly exceptions: readonly LintException[]; readonly waivable: ReadonlySet<string> },
): Issue[] => {
  const counts = exceptions.filter(({ rule }) => waivable.has(rule));
  const left = issues.filter((issue) => !counts.some((exception) => covers(exception, issue)));
  const own = exceptions.flatMap((exception, at): Issue[] => {
    const isFirst = exceptions.findIndex(({ rule, path }) => rule === exception.rule && path === exception.path) === at;
    const isNeeded = isFirst && issues.some((issue) => covers(exception, issue));
    const problem = problemOf(exception, { isNeeded, waivable });
    return problem === undefined
      ? []
      : [{ path: `lintExceptions[${at}]`, rule: 'lint-exception', value: exception, ...problem }];
  });
  return [...left, ...own];
};

/**
 * Returns the exceptions of a kind in the form of an annotation of its CustomResourceDefinition; undefined without exceptions.
 */
export const exceptionAnnotations = (
  exceptions: readonly LintException[] = [],
): Readonly<Record<string, string>> | undefined =>
  exceptions.length === 0
    ? undefined
    : {
        [EXCEPTIONS_ANNOTATION]: exceptions.map(({ rule, path, reason }) => `${rule} at ${path}: ${reason}`).join('; '),
      };
