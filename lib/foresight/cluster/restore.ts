import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ForesightError } from '#lib/errors.ts';
import { namesOf } from '#lib/kind/names.ts';
import { needsOf } from '#lib/loop/source/needs.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { apiVersionOf, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { timestamp } from '#lib/apiserver/machinery/timestamp.ts';
import { uidOf } from '#lib/apiserver/server/identity.ts';
import { installKinds } from '#lib/sim/world/crd.ts';
import { errorInWords } from '#lib/sim/world/wording.ts';
import { type Catalogue, catalogueOf } from './catalogue.ts';
import { type LiveObject, nameInWords } from './live-object.ts';

/** What a virtual cluster starts from. */
export interface RestoreOptions {
  readonly kinds: readonly AnyKindDefinition[];
  /** What is in the cluster. CustomResourceDefinitions among it count more than those that the kinds would have. */
  readonly live: readonly LiveObject[];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A virtual API server with the contents of another cluster. */
export interface RestoredCluster {
  readonly server: ApiServer;
  /** What could not be taken over, or only by an assumption; sentences for people, sorted. */
  readonly notes: readonly string[];
}

const FIRST_ERROR_CODE = 400;

const isDefinition = ({ apiVersion, kind }: LiveObject): boolean =>
  kind === 'CustomResourceDefinition' && apiVersion === apiVersionOf(resources.definitions);

/** What somebody may write; the rest is the server's. */
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

/** What an API server has not seen goes through one, so that it is complete and valid. */
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

/** Somebody who may not list namespaces has none in hand; what lies in one proves that it is there. */
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

/** @throws {ForesightError} for a kind that the loop cannot do without and the virtual API server does not serve */
const assertServed = (kinds: readonly AnyKindDefinition[], catalogue: Catalogue): void => {
  for (const { kind, isOptional } of needsOf(kinds).values()) {
    if (isOptional || catalogue.find(kind.apiVersion, kind.kind)) continue;
    const what = `${kind.apiVersion} ${kind.kind}`;
    throw new ForesightError(
      `Cannot look ahead: a kind owns or reads ${what}, which the virtual cluster does not serve; ` +
        'leave that kind out, or give its CustomResourceDefinition among the live objects',
    );
  }
};

/** A pod or a set that was made before this library wrote into it carries no fields of managers; neither does kubectl's plain output. */
const unmanagedNote = (live: readonly LiveObject[]): readonly string[] => {
  const bare = live.filter(({ metadata }) => metadata.uid !== undefined && metadata.managedFields === undefined);
  if (bare.length === 0) return [];
  return [
    `${bare.length} of the live objects ${bare.length === 1 ? 'has' : 'have'} no managedFields, so nobody knows who owns their fields; ` +
      'dump with kubectl get --show-managed-fields',
  ];
};

/**
 * Fills a virtual API server with what is in a cluster: uids, resource versions, times and status stay as they are.
 *
 * Flow: CustomResourceDefinitions → namespaces → what an API server has seen, as it is → plain manifests, by way of the server.
 *
 * @throws {ForesightError} when a kind needs what the virtual cluster does not serve, and for a manifest that is refused
 */
export const restoreCluster = ({ kinds, live, now }: RestoreOptions): RestoredCluster => {
  const server = createClusterServer(now);
  const notes = installLive(server, live.filter(isDefinition), kinds);
  try {
    installKinds(server, kinds);
  } catch (cause) {
    throw new ForesightError(`Cannot look ahead: ${errorInWords(cause)}`, { cause });
  }
  const catalogue = catalogueOf(server);
  assertServed(kinds, catalogue);
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
  return { server, notes: [...notes, ...unknownKinds(others, catalogue), ...unmanagedNote(others)].toSorted() };
};
