import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { namesOf, refOf } from '#lib/kind/names.ts';
import { tryNearest } from '#lib/kind/value/suggestion.ts';
import type { ApiResource, ApiTarget } from '#lib/kube/api.ts';

/** A resource that commands know: how it is named, and what it makes. */
export interface KnownResource extends ApiResource {
  /** What people may call it, in lower case. */
  readonly words: readonly string[];
  /** Kinds whose objects it owns, where that is known. */
  readonly owns: readonly ApiResource[];
  /** Set for a kind of the project. */
  readonly definition?: AnyKindDefinition;
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

/** What Kubernetes' own controllers make of what; words as `kubectl api-resources` lists them. */
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

/**
 * The resources that commands know: kinds of the project, and Kubernetes' own that make pods.
 *
 * @param kinds - those of the project, which come first
 */
export const knownResources = (kinds: readonly AnyKindDefinition[]): readonly KnownResource[] => [
  ...kinds.map(ofDefinition),
  ...BUILTIN.map(([resource, word, owns]) => ({ ...resource, words: wordsOf(resource, [word]), owns })),
];

/** An object that somebody named on the command line. */
export interface NamedObject {
  readonly resource: KnownResource;
  readonly target: ApiTarget;
}

/** What a command is told of the object that it is about. */
export interface NamingOptions {
  readonly known: readonly KnownResource[];
  readonly namespace: string;
}

/**
 * Understands `<kind>/<name>`, as in `podset/web` or `deploy/web`.
 *
 * @param word - as it was typed
 * @param options - what there is, and the namespace that is meant
 * @throws {ConfigurationError} when it is no such word, or nobody knows the kind
 */
export const namedObject = (word: string, { known, namespace }: NamingOptions): NamedObject => {
  const [kind = '', name = '', ...more] = word.split('/');
  if (kind === '' || name === '' || more.length > 0)
    throw new ConfigurationError(`Cannot tell what "${word}" is: write <kind>/<name>, as in podset/web`);
  const resource = known.find(({ words }) => words.includes(kind.toLowerCase()));
  if (resource !== undefined)
    return { resource, target: { name, ...(resource.scope === 'Namespaced' && { namespace }) } };
  const near = tryNearest(
    kind,
    known.flatMap(({ words }) => words),
  );
  const kinds = [...new Set(known.map((each) => each.kind))].toSorted().join(', ');
  throw new ConfigurationError(
    `Nobody knows the kind "${kind}"${near === undefined ? '' : `; did you mean ${near}?`}; known are ${kinds}: those of reconcile.config.ts, and Kubernetes' own that make pods`,
  );
};

/** A resource by its handle, with what it owns. */
export const knownAs = (known: readonly KnownResource[], resource: ApiResource): KnownResource =>
  known.find(({ kind, apiVersion }) => kind === resource.kind && apiVersion === resource.apiVersion) ?? {
    ...resource,
    words: [],
    owns: [],
  };
