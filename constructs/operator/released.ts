import { readdirSync, statSync } from 'node:fs';
import { Yaml } from 'cdk8s';
import type { Issue } from '#lib/errors.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { breakingChanges } from '#lib/kind/evolution/breaking-changes.ts';
import type { Change } from '#lib/kind/evolution/change.ts';
import { isPlainObject } from '#lib/kind/json.ts';
import { operatorSelector } from './names.ts';

/** A change that breaks somebody and is made all the same. */
export interface AcceptedChange {
  /** Kind of the resource, such as `PodSet`. */
  readonly kind: string;
  /** As the refusal names it, such as `field-removed`. */
  readonly rule: string;
  /** As the refusal names it, such as `spec.size`; empty for the whole kind. */
  readonly path: string;
  /** Why nobody is broken, or why that is all right: for whoever reviews it. */
  readonly reason: string;
}

/** What users have now. */
export interface ReleasedProps {
  /** A file of YAML or JSON, or a folder of such files, with the CRDs as they were released last; other objects are ignored. */
  readonly from: string;
  /** Changes that are made although they break somebody. @default none */
  readonly accept?: readonly AcceptedChange[];
}

const filesOf = (from: string): string[] =>
  statSync(from).isDirectory()
    ? readdirSync(from)
        .filter((name) => /\.(ya?ml|json)$/.test(name))
        .toSorted()
        .map((name) => `${from}/${name}`)
    : [from];

const isCrd = (
  object: unknown,
): object is CustomResourceDefinition & { metadata: { labels?: Record<string, string> } } =>
  isPlainObject(object) &&
  object['kind'] === 'CustomResourceDefinition' &&
  object['apiVersion'] === 'apiextensions.k8s.io/v1';

const readReleased = (from: string) => filesOf(from).flatMap((file) => (Yaml.load(file) as unknown[]).filter(isCrd));

const issueOf = (kind: string, { rule, path, message, fix }: Change): Issue => ({
  path: path === '' ? kind : `${kind} ${path}`,
  message,
  rule,
  fix: `${fix}; or accept it in released.accept, with the reason`,
});

const kindGone: Change = {
  rule: 'kind-removed',
  path: '',
  message: 'the kind is gone: whoever prunes its definition deletes all its resources',
  fix: 'keep the kind until nobody has resources of it',
};

/** Changes of one kind, from the definition as it was released; one of this operator that is no longer there is a change, too. */
const changesOf = (
  before: ReturnType<typeof readReleased>[number],
  after: CustomResourceDefinition | undefined,
  operator: string,
): Change[] => {
  if (after) return breakingChanges(before, after);
  const [[label, value] = ['', '']] = Object.entries(operatorSelector({ name: operator, namespace: '' }));
  return before.metadata.labels?.[label] === value ? [kindGone] : [];
};

/**
 * What would break users of the last release, and was not accepted.
 *
 * @param released - where the CRDs of the last release are; what cannot be read throws as `node:fs` has it
 * @param options - `crds`: as they are to be; `operator`: the name of the operator that they belong to
 * @returns an issue for every change, and for every acceptance that is not needed any more
 */
export const releaseIssues = (
  { from, accept = [] }: ReleasedProps,
  { crds, operator }: { readonly crds: readonly CustomResourceDefinition[]; readonly operator: string },
): Issue[] => {
  const found = readReleased(from).flatMap((before) => {
    const after = crds.find(({ metadata }) => metadata.name === before.metadata.name);
    return changesOf(before, after, operator).map((change) => ({ kind: before.spec.names.kind, change }));
  });
  const accepts = ({ kind, rule, path }: AcceptedChange, each: (typeof found)[number]): boolean =>
    kind === each.kind && rule === each.change.rule && path === each.change.path;
  const stale = accept.filter((accepted) => !found.some((each) => accepts(accepted, each)));
  return [
    ...found
      .filter((each) => !accept.some((accepted) => accepts(accepted, each)))
      .map(({ kind, change }) => issueOf(kind, change)),
    ...stale.map(({ kind, rule, path }) => ({
      path: `${kind} ${path}`.trim(),
      message: `${rule} is accepted, and there is no such change`,
      fix: 'take it out of released.accept',
    })),
  ];
};
