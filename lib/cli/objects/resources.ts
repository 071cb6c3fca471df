import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { definedKinds } from '#lib/desired/extension/parents.ts';
import { ConfigurationError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { namesOf, refOf } from '#lib/kind/names.ts';
import { tryNearest } from '#lib/kind/value/suggestion.ts';
import type { ApiResource, ApiTarget } from '#lib/kube/interface/api.ts';
import { sourceId } from '#lib/loop/source/needs.ts';

/** A resource that commands accept, with its names and the kinds that it owns. */
export interface KnownResource extends ApiResource {
  /** The names of the resource on the command line, in lower case. */
  readonly words: readonly string[];
  /** The kinds that the resource owns; empty if there are none, or if they are unknown. */
  readonly owns: readonly (ApiResource & Pick<KindRef, 'elsewhere'>)[];
  /** The definition, for a kind of the project. */
  readonly definition?: AnyKindDefinition;
  /** The extensions of this kind in the project. @default none */
  readonly extensions?: readonly AnyKindDefinition[];
}

const namespaced = (apiVersion: string, kind: string, plural: string): ApiResource => ({
  apiVersion,
  kind,
  plural,
  scope: 'Namespaced',
});

const pods = namespaced('v1', 'Pod', 'pods');
const replicaSets = namespaced('apps/v1', 'ReplicaSet', 'replicasets');
const jobs = namespaced('batch/v1', 'Job', 'jobs');
const revisions = namespaced('apps/v1', 'ControllerRevision', 'controllerrevisions');

/** Built-in kinds of Kubernetes, with their short names and the kinds that they own. */
const BUILTIN: readonly (readonly [ApiResource, string, readonly ApiResource[]])[] = [
  [pods, 'po', []],
  [replicaSets, 'rs', [pods]],
  [namespaced('apps/v1', 'Deployment', 'deployments'), 'deploy', [replicaSets]],
  [namespaced('apps/v1', 'StatefulSet', 'statefulsets'), 'sts', [pods, revisions]],
  [namespaced('apps/v1', 'DaemonSet', 'daemonsets'), 'ds', [pods, revisions]],
  [jobs, '', [pods]],
  [namespaced('batch/v1', 'CronJob', 'cronjobs'), 'cj', [jobs]],
  [revisions, '', []],
];

const wordsOf = ({ kind, plural, apiVersion }: ApiResource, more: readonly string[]): readonly string[] => {
  const [group, version] = apiVersion.split('/');
  const short = [kind.toLowerCase(), plural, ...more.filter((word) => word !== '')];
  return version === undefined ? short : [...short, ...short.map((word) => `${word}.${group}`)];
};

const ofDefinition = (definition: AnyKindDefinition): KnownResource => {
  const ref = refOf(definition);
  const { shortNames } = namesOf(definition);
  return { ...ref, words: wordsOf(ref, shortNames), owns: definition.owns, definition };
};

/** The API version and the plural of a resource, which identify it. */
export const idOfResource = ({ apiVersion, plural }: ApiResource): string => `${apiVersion} ${plural}`;

const withExtensions = (
  resource: KnownResource,
  extensions: readonly AnyKindDefinition[] | undefined,
): KnownResource => {
  if (extensions === undefined) return resource;
  const owns = new Map(
    [...resource.owns, ...extensions.flatMap((each) => each.owns)].map((each) => [sourceId(each), each]),
  );
  return { ...resource, owns: [...owns.values()], extensions };
};

/**
 * Lists the resources that commands accept: kinds that the project defines or extends, and the built-in kinds for workloads.
 *
 * @param kinds - the kinds of the project, which have precedence over built-in kinds of the same name
 */
export const commandResources = (kinds: readonly AnyKindDefinition[]): readonly KnownResource[] => {
  const extensions = Map.groupBy(
    kinds.filter(({ extension }) => extension !== undefined),
    (each) => idOfResource(refOf(each)),
  );
  const known = [
    ...definedKinds(kinds).map(ofDefinition),
    ...BUILTIN.map(([resource, word, owns]) => ({ ...resource, words: wordsOf(resource, [word]), owns })),
  ];
  const ids = new Set(known.map(idOfResource));
  const others = [...extensions].flatMap(([id, [first]]) => {
    if (first === undefined || ids.has(id)) return [];
    const ref = refOf(first);
    return [{ ...ref, words: wordsOf(ref, []), owns: [] }];
  });
  return [...others, ...known].map((resource) => withExtensions(resource, extensions.get(idOfResource(resource))));
};

/** An object named on the command line. */
export interface NamedObject {
  readonly resource: KnownResource;
  readonly target: ApiTarget;
}

/** The known resources, and the namespace of the object. */
export interface NamingOptions {
  readonly known: readonly KnownResource[];
  readonly namespace: string;
}

/**
 * Parses `<kind>/<name>`, as in `podset/web` or `deploy/web`.
 *
 * @param word - the word as typed
 * @param options - the known resources and the namespace
 * @throws {ConfigurationError} for a word of another form, and for an unknown kind
 */
export const namedObject = (word: string, { known, namespace }: NamingOptions): NamedObject => {
  const [kind = '', name = '', ...more] = word.split('/');
  if (kind === '' || name === '' || more.length > 0)
    throw new ConfigurationError(`Cannot parse "${word}": write <kind>/<name>, as in podset/web`);
  const resource = known.find(({ words }) => words.includes(kind.toLowerCase()));
  if (resource !== undefined)
    return { resource, target: { name, ...(resource.scope === 'Namespaced' && { namespace }) } };
  const near = tryNearest(
    kind,
    known.flatMap(({ words }) => words),
  );
  const kinds = [...new Set(known.map((each) => each.kind))].toSorted().join(', ');
  throw new ConfigurationError(
    `Unknown kind "${kind}"${near === undefined ? '' : `; did you mean ${near}?`}; known are ${kinds}: those of reconcile.config.ts, and Kubernetes' own that make pods`,
  );
};

/** The known resource for a handle, with the kinds that it owns. An unknown resource owns no kinds. */
export const knownAs = (known: readonly KnownResource[], resource: ApiResource): KnownResource =>
  known.find(({ kind, apiVersion }) => kind === resource.kind && apiVersion === resource.apiVersion) ?? {
    ...resource,
    words: [],
    owns: [],
  };
