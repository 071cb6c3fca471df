import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Issue } from '#lib/errors.ts';
import { isDns1123Label } from '#lib/kind/dns.ts';
import { type KindRef, resourceName } from '#lib/kind/handles/reference.ts';

const issue = (member: string, message: string, fix: string, value?: unknown): Issue => ({
  path: member,
  rule: 'elsewhere',
  message,
  fix,
  ...(value !== undefined && { value }),
});

const NAMES = "name namespaces, such as elsewhere(ConfigMap, { namespaces: ['monitoring'] })";

const namesIssues = (what: string, namespaces: readonly string[]): Issue[] => [
  ...(namespaces.length === 0 ? [issue('owns', `${what} has an empty list of namespaces`, NAMES)] : []),
  ...namespaces
    .filter((name) => !isDns1123Label(name))
    .map((name) => issue('owns', `${what} names "${name}", which cannot be the name of a namespace`, NAMES, name)),
];

const placesIssues = (kind: KindRef): Issue[] => {
  if (kind.elsewhere === undefined) return [];
  const { namespaces } = kind.elsewhere;
  const what = `elsewhere() of ${resourceName(kind)}`;
  if (kind.holdsData) {
    const fix = 'create the child in the namespace of the resource, or list a handle without holdsData in elsewhere()';
    return [issue('owns', `${what} holds data, and children elsewhere are deleted without consent`, fix)];
  }
  if (kind.scope === 'Cluster') {
    if (namespaces === undefined) return [];
    return [issue('owns', `${what} has namespaces, and the kind is cluster-scoped`, 'leave namespaces out')];
  }
  if (namespaces === undefined) return [issue('owns', `${what} has no namespaces`, NAMES)];
  return namespaces === 'any' ? [] : namesIssues(what, namespaces);
};

/** The issues of the handles of `elsewhere()` of a definition: wrong places, and definitions that cannot have such handles. */
export const elsewhereDefinitionIssues = ({ scope, owns, reads = [], extension }: AnyKindDefinition): Issue[] => {
  const away = owns.filter((kind) => kind.elsewhere !== undefined);
  const [first] = away;
  const looked = reads.filter((kind) => kind.elsewhere !== undefined);
  const all = away.flatMap(placesIssues);
  for (const kind of looked)
    all.push(
      issue('reads', `elsewhere() of ${resourceName(kind)} is only for owns`, 'list the kind without elsewhere()'),
    );
  if (first && scope === 'Cluster') {
    const message = `elsewhere() of ${resourceName(first)} is only for namespaced kinds`;
    all.push(issue('owns', message, 'list the kind without elsewhere(): a cluster-scoped resource owns all places'));
  }
  if (first && extension?.onRelease === 'keep') {
    const message = `elsewhere() of ${resourceName(first)} cannot go with onRelease: "keep"`;
    all.push(issue('onRelease', message, 'set onRelease: "remove", because children elsewhere cannot be released'));
  }
  return all;
};
