import { operatorSelector } from '#constructs/operator/names.ts';
import type { Issue } from '#lib/errors.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { breakingChanges } from '#lib/kind/evolution/breaking-changes.ts';
import type { Change } from '#lib/kind/evolution/change.ts';
import { type ReleasedCrd, readReleased, SourceError } from './released-source.ts';

/** A breaking change that synth accepts. */
export interface AcceptedChange {
  /** Kind of the resource, such as `PodSet`. */
  readonly kind: string;
  /** The rule that the error message names, such as `field-removed`. */
  readonly rule: string;
  /** The path that the error message names, such as `spec.size`; empty for the whole kind. */
  readonly path: string;
  /** The reason why nothing breaks, or why the break is acceptable, for reviewers. */
  readonly reason: string;
}

/** The source of the CRDs of the last release, and the accepted changes since then. */
export interface ReleasedProps {
  /**
   * A file of YAML or JSON, or a folder of such files, with the CRDs of the last release; other objects are ignored.
   * `git:<ref>:<path>` reads the files from a commit, a branch or a tag, such as `git:main:synth-out`. Paths are relative to
   * the working directory.
   */
  readonly from: string;
  /** Accepted breaking changes. @default none */
  readonly accept?: readonly AcceptedChange[];
}

const issueOf = (kind: string, { rule, path, message, fix }: Change): Issue => ({
  path: path === '' ? kind : `${kind} ${path}`,
  message,
  rule,
  fix: `${fix}; or accept it in released.accept, with the reason`,
});

const kindGone: Change = {
  rule: 'kind-removed',
  path: '',
  message: 'the kind is gone: a prune of its definition deletes all its resources',
  fix: 'keep the kind until no cluster has resources of it',
};

/**
 * The breaking changes of a CRD. A missing CRD is a breaking change only if it has the label of the same operator, because a
 * release can have the CRDs of several operators.
 */
const changesOf = (before: ReleasedCrd, after: CustomResourceDefinition | undefined, operator: string): Change[] => {
  if (after) return breakingChanges(before, after);
  const [[label, value] = ['', '']] = Object.entries(operatorSelector({ name: operator, namespace: '' }));
  return before.metadata.labels?.[label] === value ? [kindGone] : [];
};

interface Release {
  readonly accept: readonly AcceptedChange[];
  readonly crds: readonly CustomResourceDefinition[];
  readonly operator: string;
}

const place = ({ kind, path }: AcceptedChange): string => `${kind} ${path}`.trim();

const withoutReason = ({ reason }: AcceptedChange): boolean => reason.trim() === '';

const issuesSince = (before: readonly ReleasedCrd[], { accept, crds, operator }: Release): Issue[] => {
  const found = before.flatMap((old) => {
    const after = crds.find(({ metadata }) => metadata.name === old.metadata.name);
    return changesOf(old, after, operator).map((change) => ({ kind: old.spec.names.kind, change }));
  });
  const accepts = ({ kind, rule, path }: AcceptedChange, each: (typeof found)[number]): boolean =>
    kind === each.kind && rule === each.change.rule && path === each.change.path;
  const stale = accept.filter((accepted) => !found.some((each) => accepts(accepted, each)));
  return [
    ...found
      .filter((each) => !accept.some((accepted) => accepts(accepted, each)))
      .map(({ kind, change }) => issueOf(kind, change)),
    ...stale.map((accepted) => ({
      path: place(accepted),
      rule: 'acceptance',
      message: `${accepted.rule} is accepted, and there is no such change`,
      fix: 'take it out of released.accept',
    })),
    ...accept.filter(withoutReason).map((accepted) => ({
      path: place(accepted),
      rule: 'acceptance',
      message: `${accepted.rule} is accepted without a reason`,
      fix: 'state in released.accept why no user is affected',
    })),
  ];
};

/**
 * Finds changes that break users of the last release and are not accepted.
 *
 * @param released - the source with the CRDs of the last release, and the accepted changes
 * @param options - `crds`: the new CRDs; `operator`: the name of the operator that they belong to
 * @returns an issue for every change that is not accepted, every acceptance without a reason, and every acceptance without a
 *   change; a single issue if {@link readReleased} throws a {@link SourceError}
 */
export const releaseIssues = (
  { from, accept = [] }: ReleasedProps,
  { crds, operator }: { readonly crds: readonly CustomResourceDefinition[]; readonly operator: string },
): Issue[] => {
  try {
    return issuesSince(readReleased(from), { accept, crds, operator });
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return [{ path: 'released.from', rule: 'released-source', message: error.message, fix: error.fix }];
  }
};
