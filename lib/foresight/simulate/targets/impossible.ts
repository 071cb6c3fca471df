import type { Issue } from '#lib/errors.ts';

/** Rule of an issue about an object that is missing now and may exist at another time. */
export const NOT_FOUND = 'not-found';

/** Why a change is impossible, and how to fix it. */
export interface Impossible {
  readonly problem: string;
  readonly fix?: string;
  /** @default 'impossible' at any time */
  readonly rule?: typeof NOT_FOUND;
}

/** Converts it to an issue of the script or manifest. */
export const impossibleIssueOf = (path: string, { problem, fix, rule }: Impossible): Issue => ({
  path,
  rule: rule ?? 'impossible',
  message: problem,
  ...(fix !== undefined && { fix }),
});
