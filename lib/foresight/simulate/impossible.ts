import type { Issue } from '#lib/errors.ts';

/** The rule of an object that is missing now, and may be there at another moment; a kind never is. */
export const NOT_FOUND = 'not-found';

/** Why something cannot be done, and what may help. */
export interface Impossible {
  readonly problem: string;
  readonly fix?: string;
  /** @default 'impossible', whatever the moment */
  readonly rule?: typeof NOT_FOUND;
}

/** What is wrong with the place of a script, or the manifest, that asks for it. */
export const issueOf = (path: string, { problem, fix, rule }: Impossible): Issue => ({
  path,
  rule: rule ?? 'impossible',
  message: problem,
  ...(fix !== undefined && { fix }),
});
