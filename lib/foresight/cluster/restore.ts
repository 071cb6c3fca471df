import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { apiVersionText, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import { uidOf } from '#lib/apiserver/server/store/identity.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ForesightError } from '#lib/errors.ts';
import { assertRunnable, kindsByService, leftOutNotes } from '#lib/foresight/served/unserved.ts';
import { namesOf } from '#lib/kind/names.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import { installKinds } from '#lib/sim/world/scenario/crd.ts';
import { errorInWords } from '#lib/sim/world/step/wording.ts';
import { type Catalogue, catalogueOf } from './catalogue.ts';
import { type LiveObject, nameInWords } from './live-object.ts';

/** Options for {@link restoreCluster}. */
export interface RestoreOptions {
  readonly kinds: readonly AnyKindDefinition[];
  /**
   * The objects of the cluster, and manifests without a uid. A CustomResourceDefinition in the list takes precedence over the
   * definition of the kind, unless the virtual server refuses it.
   */
  readonly live: readonly LiveObject[];
  /**
   * The objects whose future is computed. If the kind of one of these objects cannot run, the function throws an error; for other
   * kinds, it adds a note.
   *
   * @default none
   */
  readonly about?: readonly Pick<LiveObject, 'apiVersion' | 'kind'>[];
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
}

/** A virtual API server with the contents of another cluster. */
export interface RestoredCluster {
  readonly server: ApiServer;
  /** The kinds that can run. All other kinds own, read or extend a resource that the virtual cluster does not serve. */
  readonly running: readonly AnyKindDefinition[];
  /** Sentences about kinds that cannot run. `notes` has these sentences, too. */
  readonly leftOut: readonly string[];
  /** Sorted sentences about objects that were left out, and about assumptions. */
  readonly notes: readonly string[];
}

const FIRST_ERROR_CODE = 400;

const isDefinition = ({ apiVersion, kind }: LiveObject): boolean =>
  kind === 'CustomResourceDefinition' && apiVersion === apiVersionText(resources.definitions);

/** An object without its status, uid, resource version and managed fields. */
const manifestOf = ({ status: _status, ...object }: LiveObject): LiveObject => {
  const { uid: _uid, resourceVersion: _version, managedFields: _fields, ...metadata } = object.metadata;
  return { ...object, metadata };
};

const namespaceOf = ({ metadata }: LiveObject, isNamespaced: boolean): string =>
  isNamespaced ? (metadata.namespace ?? 'default') : '';

const installLive = (
  server: ApiServer,
  definitions: readonly LiveObject[],
  kinds: readonly AnyKindDefinition[],
): readonly string[] => {
  const own = new Set(kinds.map((kind) => namesOf(kind).crdName));
  return definitions.flatMap((definition) => {
    const options = { fieldManager: 'kube-apiserver' };
    const body = manifestOf(definition);
    const { code, body: answer } = server.handle({ verb: 'create', resource: resources.definitions, body, options });
    if (code < FIRST_ERROR_CODE) return [];
    const { name } = definition.metadata;
    const fate = own.has(name) ? 'replaced by that of the kind' : 'left out';
    return [`the CustomResourceDefinition ${name} was ${fate}: ${String(answer['message'])}`];
  });
};

const completed = (object: LiveObject, { namespace, now }: { namespace: string; now: number }): ServerObject => {
  const { kind, apiVersion, metadata } = object;
  const { uid = '', name } = metadata;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const made = uidOf({ group, kind, namespace, name, incarnation: 0 });
  const own = {
    ...metadata,
    resourceVersion: metadata.resourceVersion ?? '',
    creationTimestamp: metadata.creationTimestamp ?? timestamp(now),
    ...(namespace !== '' && { namespace }),
    uid: uid === '' ? made : uid,
  };
  return { ...object, metadata: own as unknown as ServerObject['metadata'] };
};

/** Creates an object by a request, so that the server validates the manifest and fills in its defaults. */
const create = (server: ApiServer, object: LiveObject, catalogue: Catalogue): void => {
  const { apiVersion, kind, metadata } = object;
  const found = catalogue.find(apiVersion, kind);
  if (!found) return;
  const namespace = namespaceOf(object, found.isNamespaced);
  const place = namespace === '' ? {} : { namespace };
  const options = { fieldManager: 'kubectl' };
  const answer = server.handle({ verb: 'create', resource: found.resource, ...place, body: object, options });
  if (answer.code < FIRST_ERROR_CODE) return;
  const where = nameInWords({ apiVersion, kind, namespace, name: metadata.name });
  throw new ForesightError(`Cannot start from ${where}: ${String(answer.body['message'])}`);
};

/** Creates namespaces, which the live objects may lack, because a user may not be allowed to list namespaces. */
const ensureNamespaces = (server: ApiServer, names: ReadonlySet<string>): void => {
  for (const name of names) {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    server.handle({
      verb: 'create',
      resource: resources.namespaces,
      body,
      options: { fieldManager: 'kube-apiserver' },
    });
  }
};

const unknownKinds = (live: readonly LiveObject[], catalogue: Catalogue): readonly string[] => {
  const strangers = live.filter(({ apiVersion, kind }) => !catalogue.find(apiVersion, kind));
  const byKind = Map.groupBy(strangers, ({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  return [...byKind].map(([kind, { length }]) => `${kind} is not known to the virtual cluster: ${length} left out`);
};

/** A note about objects without managed fields, which kubectl leaves out of its output by default. */
const unmanagedNote = (live: readonly LiveObject[]): readonly string[] => {
  const bare = live.filter(({ metadata }) => metadata.uid !== undefined && metadata.managedFields === undefined);
  if (bare.length === 0) return [];
  return [
    `${bare.length} of the live objects ${bare.length === 1 ? 'has' : 'have'} no managedFields, so the owners of their fields are unknown; ` +
      'dump with kubectl get --show-managed-fields',
  ];
};

/**
 * Fills a virtual API server with the objects of a cluster. Live objects keep their uids, resource versions, times and status.
 *
 * Flow: CustomResourceDefinitions → objects of a cluster → missing namespaces → manifests, created through the server.
 *
 * @throws {UnservedKindError} when the kind of an object in `about` needs a resource that the virtual cluster does not serve, or
 *   when no kind can run
 * @throws {ForesightError} for a refused manifest, and when the kinds cannot be installed
 */
export const restoreCluster = ({ kinds, live, about = [], now }: RestoreOptions): RestoredCluster => {
  const server = createClusterServer(now);
  const notes = installLive(server, live.filter(isDefinition), kinds);
  try {
    installKinds(server, kinds);
  } catch (cause) {
    throw new ForesightError(`Cannot look ahead: ${errorInWords(cause)}`, { cause });
  }
  const catalogue = catalogueOf(server);
  const byService = kindsByService(kinds, { cluster: 'virtual', objects: live });
  assertRunnable(byService, about);
  const others = live.filter((object) => !isDefinition(object));
  for (const object of others) {
    const found = catalogue.find(object.apiVersion, object.kind);
    if (!found || object.metadata.uid === undefined) continue;
    const namespace = namespaceOf(object, found.isNamespaced);
    server.restore(found.resource, completed(object, { namespace, now: now() }));
  }
  const placed = others.filter(({ apiVersion, kind }) => catalogue.find(apiVersion, kind)?.isNamespaced);
  ensureNamespaces(server, new Set(placed.map((object) => namespaceOf(object, true))));
  for (const object of others) if (object.metadata.uid === undefined) create(server, object, catalogue);
  const leftOut = leftOutNotes(byService);
  const all = [...notes, ...leftOut, ...unknownKinds(others, catalogue), ...unmanagedNote(others)];
  return { server, running: byService.served, leftOut, notes: all.toSorted() };
};
