import { resourceText } from '#lib/desired/observe/scoped-name.ts';
import type { ChildIntent } from '#lib/desired/result/intent.ts';
import { InvalidDesiredError, type Issue } from '#lib/errors.ts';
import { isDns1123Label, isDnsSubdomain, SUBDOMAIN_LENGTH } from '#lib/kind/dns.ts';
import { elsewhereIssues } from './check-elsewhere.ts';
import { duplicateElements } from './duplicates.ts';
import { identityOf } from './identity.ts';
import { type InputIndex, indexInput, nameOf, ownedKind, type PlanInput } from './input.ts';
import type { Child } from './step.ts';

type ApplyIntent = ChildIntent & { readonly verb: 'apply' };

/** Fields of the metadata that only the API server sets. An intent that has them is probably a copy of an observed object. */
const serverFields = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields'] as const;

const kindIssues = (input: PlanInput, { object }: ApplyIntent): Issue[] => {
  const { definition } = input;
  if (ownedKind(input, object)) return [];
  const owned = definition.owns.map((kind) => `${kind.apiVersion} ${kind.kind}`).join(', ');
  return [
    {
      path: 'kind',
      rule: 'owned-kind',
      message: `must be a kind that "${definition.kind}" owns (${owned || 'none'})`,
      value: `${object.apiVersion ?? '?'} ${object.kind ?? '?'}`,
      fix: 'set apiVersion and kind, and list the kind in owns',
    },
  ];
};

const nameIssues = (_: PlanInput, { object }: ApplyIntent): Issue[] => {
  const name = object.metadata?.name ?? '';
  if (isDnsSubdomain(name)) return [];
  const message = `must be a DNS subdomain of 1 to ${SUBDOMAIN_LENGTH} characters`;
  return [{ path: 'metadata.name', rule: 'name', message, value: name, fix: 'derive the name from the parent’s' }];
};

const inNamespaceOfParent = (parent: string, namespace: string | undefined): Issue[] => {
  if (namespace === undefined || namespace === parent) return [];
  const message = `must be absent or "${parent}", the namespace of the parent`;
  return [{ path: 'metadata.namespace', rule: 'same-namespace', message, value: namespace }];
};

const inNoNamespace = (kind: string, namespace: string | undefined): Issue[] => {
  if (namespace === undefined) return [];
  const message = `must be absent: ${kind} is cluster-scoped`;
  return [{ path: 'metadata.namespace', rule: 'same-namespace', message, value: namespace }];
};

const inSomeNamespace = (namespace: string | undefined): Issue[] => {
  if (namespace !== undefined && isDns1123Label(namespace)) return [];
  const message = 'must name a namespace: the parent is cluster-scoped and has none to give';
  return [{ path: 'metadata.namespace', rule: 'same-namespace', message, value: namespace ?? '' }];
};

/**
 * Issues of the namespace of an intent. A cluster-scoped child must have no namespace. A namespaced child must be in the
 * namespace of its parent, or name a namespace if the parent is cluster-scoped. Without this check, the spec of a namespaced
 * resource could make the operator write to another namespace. A child of a handle of `elsewhere()` must be in a namespace that the
 * definition allows, and have a name that ends with the hash of the parent.
 */
const namespaceIssues = (input: PlanInput, { object }: ApplyIntent): Issue[] => {
  const namespace = object.metadata?.namespace;
  const kind = ownedKind(input, object);
  if (kind?.elsewhere) return elsewhereIssues(input, object, kind.elsewhere);
  if (kind?.scope === 'Cluster') return inNoNamespace(kind.kind, namespace);
  const parent = input.resource.metadata.namespace;
  return parent === '' ? inSomeNamespace(namespace) : inNamespaceOfParent(parent, namespace);
};

const wholeIntentIssues = (_: PlanInput, intent: ApplyIntent): Issue[] => {
  const present = serverFields.filter((field) => intent.object.metadata && field in intent.object.metadata);
  return present.map((field) => ({
    path: `metadata.${field}`,
    rule: 'whole-intent',
    message: 'must not be set: an intent is built whole, an observed object is never sent back',
    fix: 'build a new object; pass the observed one as ifUnchanged',
  }));
};

const ownershipIssues = (input: PlanInput, { object }: ApplyIntent): Issue[] => {
  const { definition, resource } = input;
  const { labels = {}, ownerReferences } = object.metadata ?? {};
  const identity = identityOf(definition, ownedKind(input, object));
  const issues: Issue[] = [];
  for (const [key, value] of Object.entries(identity.labelsOf(resource.metadata))) {
    if (labels[key] === undefined || labels[key] === value) continue;
    issues.push({
      path: `metadata.labels[${key}]`,
      rule: 'owner-label',
      message: `must be absent or "${value}"`,
      value: labels[key],
    });
  }
  if (ownerReferences)
    issues.push({
      path: 'metadata.ownerReferences',
      rule: 'owner-reference',
      message: 'must be absent: the loop sets it',
    });
  return issues;
};

/**
 * Issues of an `ifUnchanged` that is not the observed child. The resource version of another object never matches, so every
 * attempt of the write would fail.
 */
const unchangedIssues = (input: PlanInput, { object, ifUnchanged }: ApplyIntent, live: Child | undefined): Issue[] => {
  if (ifUnchanged === undefined) return [];
  const { uid } = ifUnchanged.metadata ?? {};
  if (uid !== undefined && uid === live?.object.metadata?.uid) return [];
  const message = 'must be the observed child that the intent is about';
  const value = ifUnchanged.metadata?.name;
  return [
    { path: 'ifUnchanged', rule: 'observed', message, value, fix: `pass the child named "${nameOf(object, input)}"` },
  ];
};

/** Issues of list elements with the same keys. The API server would respond to an apply of them with status 500. */
const elementIssues = (input: PlanInput, { object }: ApplyIntent): Issue[] => {
  const kind = ownedKind(input, object);
  return kind ? duplicateElements(kind, object) : [];
};

const applyChecks = [
  kindIssues,
  nameIssues,
  namespaceIssues,
  wholeIntentIssues,
  ownershipIssues,
  unchangedIssues,
  elementIssues,
];

/**
 * Issues of the dry runs in a result. The object of a dry run must be a possible child. Otherwise a user could find out whether
 * the API server would accept other objects from the operator.
 */
const effectIssues = (input: PlanInput): Issue[] =>
  (input.desired.effects ?? []).flatMap((effect, index) => {
    if (effect.effect !== 'dryRun') return [];
    const intent = { verb: 'apply', object: effect.object } as const;
    const issues = applyChecks.flatMap((check) => check(input, intent, undefined));
    return issues.map((issue) => ({ ...issue, path: `effects[${index}].object.${issue.path}` }));
  });

/** Issues of an intent with another verb than `apply`: its object must have the kind, name and uid of an observed object. */
const observedIssues = (observed: Child | undefined, { verb, object }: ChildIntent): Issue[] => {
  const uid = observed?.object.metadata?.uid;
  if (uid !== undefined && uid === object.metadata?.uid) return [];
  const wanted = verb === 'adopt' ? 'an observed orphan' : 'an observed child of this resource';
  return [
    { path: 'metadata.uid', rule: 'observed', message: `${verb} needs ${wanted}`, value: object.metadata?.name ?? '' },
  ];
};

/**
 * Issues of `adopt` and `release` for a kind that is watched by label. The watch shows neither orphans nor released children,
 * because both lack the label of the operator.
 */
const labelledIssues = (input: PlanInput, { verb, object }: ChildIntent): Issue[] => {
  if ((verb !== 'adopt' && verb !== 'release') || ownedKind(input, object)?.labelled !== true) return [];
  const message = `${verb} is not possible for a kind that is watched by label`;
  return [{ path: 'verb', rule: 'labelled', message, value: verb, fix: 'list the kind in owns without labelled()' }];
};

const intentIssues = (input: PlanInput, { live, orphans, intentIds }: InputIndex): Issue[] =>
  input.desired.children.flatMap((intent, index) => {
    const observed = (intent.verb === 'adopt' ? orphans : live).get(intentIds[index] ?? '');
    const issues =
      intent.verb === 'apply'
        ? applyChecks.flatMap((check) => check(input, intent, observed))
        : [...observedIssues(observed, intent), ...labelledIssues(input, intent)];
    return issues.map((issue) => ({ ...issue, path: `children[${index}].${issue.path}` }));
  });

const duplicateIssues = ({ desired }: PlanInput, { intentIds }: InputIndex): Issue[] => {
  if (new Set(intentIds).size === intentIds.length) return [];
  const firsts = new Map(intentIds.map((id, index) => [id, index] as const).toReversed());
  return intentIds.flatMap((id, index): Issue[] => {
    const first = firsts.get(id);
    if (first === index) return [];
    const message = `each child is named at most once, and children[${first}] has the same kind and name`;
    const value = `${desired.children[index]?.verb} ${id}`;
    const fix = 'remove one of the two, or rename one';
    return [{ path: `children[${index}]`, rule: 'named-once', message, value, fix }];
  });
};

/**
 * Checks the result of a function before any part of the result is executed.
 *
 * With this check, a faulty or hostile function cannot write children of kinds that its definition does not own, and cannot give
 * a child the owner label of another resource of that definition. The function of a namespaced resource can write to another namespace only if `elsewhere()` allows
 * that namespace.
 *
 * @param index - the result of {@link indexInput}, if it is known
 * @throws {InvalidDesiredError} with all issues; each path starts with `children[<index>]` or `effects[<index>]`
 */
export const checkDesired = (input: PlanInput, index: InputIndex = indexInput(input)): void => {
  const issues = [...intentIssues(input, index), ...duplicateIssues(input, index), ...effectIssues(input)];
  if (issues.length > 0) throw new InvalidDesiredError(resourceText(input.definition, input.resource), issues);
};
