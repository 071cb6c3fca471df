import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Issue } from '#lib/errors.ts';
import { isDns1123Label } from '#lib/kind/dns.ts';
import type { Elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { type KindRef, resourceName } from '#lib/kind/handles/reference.ts';
import { isSecret } from '#lib/kind/handles/secret-kind.ts';

const issue = (member: string, message: string, fix: string, value?: unknown): Issue => ({
  path: member,
  rule: 'elsewhere',
  message,
  fix,
  ...(value !== undefined && { value }),
});

const NAMES = "name namespaces, such as elsewhere(ConfigMap, { namespaces: ['monitoring'] })";

const NAMES_OF_SECRETS = 'name the namespaces of the Secrets';

type Member = 'owns' | 'reads';

/** The name of a handle in messages, such as `elsewhere() of configmaps`. */
export const handleText = (kind: KindRef): string =>
  `${kind.elsewhere === undefined ? '' : 'elsewhere() of '}${resourceName(kind)}`;

/** The issues of the namespaces of a handle of a namespaced kind. */
const namespacesIssues = (member: Member, kind: KindRef, namespaces: Elsewhere['namespaces']): Issue[] => {
  const what = handleText(kind);
  if (namespaces === 'any') return [];
  if (namespaces === undefined) return [issue(member, `${what} has no namespaces`, NAMES)];
  if (namespaces.length === 0) return [issue(member, `${what} has an empty list of namespaces`, NAMES)];
  return namespaces
    .filter((name) => !isDns1123Label(name))
    .map((name) => issue(member, `${what} names "${name}", which cannot be the name of a namespace`, NAMES, name));
};

const placesIssues = (kind: KindRef): Issue[] => {
  const { namespaces } = kind.elsewhere ?? {};
  const what = handleText(kind);
  if (kind.holdsData) {
    const fix = 'create the child in the namespace of the resource, or list a handle without holdsData in elsewhere()';
    return [issue('owns', `${what} holds data, and children elsewhere are deleted without consent`, fix)];
  }
  if (kind.scope === 'Namespaced') return namespacesIssues('owns', kind, namespaces);
  if (namespaces === undefined) return [];
  return [issue('owns', `${what} has namespaces, and the kind is cluster-scoped`, 'leave namespaces out')];
};

/** With `any` for Secrets, the author of a resource could have every Secret read that a spec can name. */
const readsIssues = (kind: KindRef, scope: AnyKindDefinition['scope']): Issue[] => {
  const { namespaces } = kind.elsewhere ?? {};
  const what = handleText(kind);
  if (kind.scope === 'Cluster' || scope === 'Cluster') {
    const message = `${what} is only for look-ups of a namespaced kind in other namespaces`;
    return [issue('reads', message, 'list the kind without elsewhere(): the look-ups then cover the whole cluster')];
  }
  if (isSecret(kind) && namespaces === 'any')
    return [issue('reads', `${what} cannot have namespaces: "any"`, NAMES_OF_SECRETS)];
  return namespacesIssues('reads', kind, namespaces);
};

/** The issues of the handles of `elsewhere()` of a definition: wrong places, and definitions that cannot have such handles. */
export const elsewhereDefinitionIssues = ({ scope, owns, reads = [], extension }: AnyKindDefinition): Issue[] => {
  const away = owns.filter((kind) => kind.elsewhere !== undefined);
  const [first] = away;
  const looked = reads.filter((kind) => kind.elsewhere !== undefined);
  const all = [...away.flatMap(placesIssues), ...looked.flatMap((kind) => readsIssues(kind, scope))];
  if (first && scope === 'Cluster') {
    const message = `${handleText(first)} is only for namespaced kinds`;
    all.push(issue('owns', message, 'list the kind without elsewhere(): a cluster-scoped resource owns all places'));
  }
  if (first && extension?.onRelease === 'keep') {
    const message = `${handleText(first)} cannot go with onRelease: "keep"`;
    all.push(issue('onRelease', message, 'set onRelease: "remove", because children elsewhere cannot be released'));
  }
  return all;
};
