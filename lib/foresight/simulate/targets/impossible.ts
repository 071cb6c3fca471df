import type { Issue } from '#lib/errors.ts';

/** The `rule` of an issue about an object that does not exist now, and may exist at another time. */
export const NOT_FOUND = 'not-found';

/** The reason why a change is impossible, and the remedy. */
export interface Impossible {
  readonly problem: string;
  readonly fix?: string;
  /** Set if the change may be possible at another time. @default 'impossible' */
  readonly rule?: typeof NOT_FOUND;
}

/** Converts the reason to an issue of the script or manifest. */
export const impossibleIssueOf = (path: string, { problem, fix, rule }: Impossible): Issue => ({
  path,
  rule: rule ?? 'impossible',
  message: problem,
  ...(fix !== undefined && { fix }),
});
