import { consistencyIssues, handleListIssues } from '#lib/desired/check/definition-check.ts';
import { firstLookIssues } from '#lib/desired/check/first-look.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { circleIssues } from '#lib/desired/extension/circles.ts';
import { InvalidDefinitionError, type Issue } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';
import { type CustomResourceDefinition, compileCrd } from '#lib/kind/crd.ts';
import { validateResource } from '#lib/kind/instance/validate.ts';
import { lintKind } from '#lib/kind/lint/index.ts';
import { namesOf } from '#lib/kind/names.ts';
import { memberIssues } from '#lib/kind/rules/members.ts';
import type { ConversionService } from '#lib/kind/versions/webhook.ts';
import { checkRules } from '../../check-rules.ts';

/** The result of {@link checkedKinds}. */
export interface KindsReport {
  /** The CRDs of the kinds that compile; extensions have none. */
  readonly crds: readonly CustomResourceDefinition[];
  readonly issues: readonly Issue[];
}

const ofKind =
  ({ kind }: AnyKindDefinition) =>
  (issue: Issue): Issue => ({ ...issue, path: `${kind} ${issue.path}`.trim() });

/** The issues of kinds, as of a wrong import in JavaScript, with which no other check is possible. */
export const unreadableKinds = (kinds: unknown): readonly Issue[] => {
  if (Array.isArray(kinds) && kinds.every((kind) => isPlainObject(kind)))
    return (kinds as unknown as AnyKindDefinition[]).flatMap((kind) => handleListIssues(kind).map(ofKind(kind)));
  const message = 'kinds must be a list of definitions';
  return [{ path: 'kinds', rule: 'kinds', message, fix: 'such as [podSet]; check the imports' }];
};

/**
 * Finds children of undeclared kinds by a call of the function with an empty spec. If the schema does not allow an empty spec,
 * the construct of each resource makes this check instead.
 */
const lookIssues = (kind: AnyKindDefinition): Issue[] =>
  kind.extension === undefined && validateResource(kind, { spec: {} }).length > 0
    ? []
    : firstLookIssues(kind, { spec: {} });

const compiled = (kind: AnyKindDefinition, conversion: ConversionService): KindsReport => {
  if (kind.extension) return { crds: [], issues: lookIssues(kind) };
  try {
    const crd = compileCrd(kind, { conversion });
    return { crds: [crd], issues: [...checkRules(crd), ...lookIssues(kind)] };
  } catch (error) {
    if (error instanceof InvalidDefinitionError) return { crds: [], issues: error.issues };
    throw error;
  }
};

/** An extension has no schema. */
const lintIssues = (kind: AnyKindDefinition): readonly Issue[] => (kind.extension ? [] : lintKind(kind));

/** The API server accepts each name only once in a group. */
const servedNames = (definition: AnyKindDefinition): readonly (readonly [what: string, name: string])[] => {
  const { kind, listKind, plural, singular, shortNames } = namesOf(definition);
  return [
    ['kind', kind],
    ['list kind', listKind],
    ['plural', plural],
    ...(singular === plural ? [] : [['singular', singular] as const]),
    ...shortNames.map((name) => ['short name', name] as const),
  ];
};

const sharedName = (one: AnyKindDefinition, other: AnyKindDefinition): Issue | undefined => {
  const others = new Map(servedNames(other).map(([what, name]) => [name, what]));
  const shared = servedNames(one).find(([, name]) => others.has(name));
  if (shared === undefined) return undefined;
  const [what, name] = shared;
  const message = `the ${what} ${name} of ${one.kind} is the ${others.get(name)} of ${other.kind} in ${one.group} as well`;
  const fix = `give ${one.kind} another one: an API server serves only the first`;
  return { rule: 'name-collision', path: 'kinds', message, fix };
};

const collisions = (kinds: readonly AnyKindDefinition[]): Issue[] =>
  kinds.flatMap((one, at) =>
    kinds.slice(0, at).flatMap((other): Issue[] => {
      if (one.group !== other.group) return [];
      const { crdName } = namesOf(one);
      if (one.kind === other.kind && crdName === namesOf(other).crdName) {
        const message = `kinds names ${crdName} twice`;
        return [{ rule: 'kind-twice', path: 'kinds', message, fix: 'list every kind once' }];
      }
      const issue = sharedName(one, other);
      return issue ? [issue] : [];
    }),
  );

/**
 * Compiles the kinds, and checks their definitions, functions, rules and names.
 *
 * @param kinds - the kinds, in the order of the props
 * @param conversion - the conversion webhook, for kinds that need one
 * @returns the CRDs and all issues at once; the path of an issue of one kind begins with the kind
 */
export const checkedKinds = (kinds: readonly AnyKindDefinition[], conversion: ConversionService): KindsReport => {
  const checked = kinds.map((kind) => ({ kind, incomplete: memberIssues(kind) }));
  const complete = checked.filter(({ incomplete }) => incomplete.length === 0).map(({ kind }) => kind);
  const reports = checked.map(({ kind, incomplete }) => {
    if (incomplete.length > 0) return { crds: [], issues: incomplete.map(ofKind(kind)) };
    const { crds, issues } = compiled(kind, conversion);
    return { crds, issues: [...issues, ...lintIssues(kind), ...consistencyIssues(kind)].map(ofKind(kind)) };
  });
  return {
    crds: reports.flatMap(({ crds }) => crds),
    issues: [...collisions(complete), ...circleIssues(complete), ...reports.flatMap(({ issues }) => issues)],
  };
};
