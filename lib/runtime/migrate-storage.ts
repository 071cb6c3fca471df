import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ApiError, ConfigurationError } from '#lib/errors.ts';
import { namesOf, refOf } from '#lib/kind/names.ts';
import { createKubeClient } from '#lib/kube/client/client.ts';
import { DEFINITIONS } from '#lib/kube/client/definitions.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import type { ApiObject, ApiResource, KubeApi } from '#lib/kube/interface/api.ts';
import { createLogger, type Logger, logLevelOf } from '#lib/telemetry/log.ts';
import type { Environment } from './settings.ts';

/** Options of {@link migrateStorage}. */
export interface MigrateOptions {
  /** The kinds. Only kinds with several versions are migrated. Their CRDs must be installed. */
  readonly kinds: readonly AnyKindDefinition[];
  /** The environment variables, including `KUBECONFIG` and `LOG_LEVEL`. @default process.env */
  readonly env?: Environment;
  /** The log. @default JSON lines on standard output */
  readonly log?: Logger;
}

/** The result of the migration of a kind. */
export interface Migrated {
  /** The name of the CustomResourceDefinition, such as `webs.app.example.com`. */
  readonly name: string;
  /** The storage version, in which all objects are stored now. */
  readonly version: string;
  /** The versions in which no object is stored any more. They may be removed from the CRD. */
  readonly left: readonly string[];
  /** The number of rewritten objects. */
  readonly rewritten: number;
}

const FIELD_MANAGER = 'cdk8s-reconcile-migration';
const PAGE = 200;
/** The maximum number of concurrent patches, low enough to leave room for other clients of the API server. */
const AT_ONCE = 8;
const ATTEMPTS = 10;

type InstalledCrd = ApiObject & {
  readonly spec: { readonly versions: readonly { readonly name: string; readonly storage: boolean }[] };
  readonly status?: { readonly storedVersions?: readonly string[] };
};

const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof ApiError && codes.includes(error.httpStatus);

/**
 * Rewrites an object by an empty patch, so that the API server stores it in the storage version. A conflict means that
 * another client has rewritten the object already.
 *
 * @returns 1, or 0 if the object was rewritten or deleted by another client
 */
const rewrite = async (api: KubeApi, kind: ApiResource, { metadata }: ApiObject): Promise<number> => {
  const { name, namespace, resourceVersion } = metadata;
  const options = { type: 'merge', fieldManager: FIELD_MANAGER } as const;
  try {
    await api.patch(
      kind,
      { name, ...(namespace !== undefined && { namespace }) },
      { metadata: { resourceVersion } },
      options,
    );
    return 1;
  } catch (error) {
    if (hasCode(error, 404, 409)) return 0;
    throw error;
  }
};

const rewriteAll = async (api: KubeApi, kind: ApiResource): Promise<number> => {
  let count = 0;
  let continueToken: string | undefined;
  do {
    // oxlint-disable-next-line no-await-in-loop -- page by page: memory stays bounded
    const page = await api.list(kind, { limit: PAGE, ...(continueToken !== undefined && { continueToken }) });
    for (let at = 0; at < page.items.length; at += AT_ONCE) {
      const some = page.items.slice(at, at + AT_ONCE);
      // oxlint-disable-next-line no-await-in-loop -- some at a time
      const written = await Promise.all(some.map(async (object) => rewrite(api, kind, object)));
      count += written.reduce((sum, each) => sum + each, 0);
    }
    ({ continueToken } = page);
  } while (continueToken !== undefined);
  return count;
};

const readCrd = async (api: KubeApi, kind: AnyKindDefinition): Promise<InstalledCrd> => {
  const { crdName } = namesOf(kind);
  const crd = (await api.get(DEFINITIONS, { name: crdName })) as InstalledCrd;
  const stored = crd.spec.versions.find(({ storage }) => storage)?.name;
  if (stored === kind.version) return crd;
  throw new ConfigurationError(
    `Cannot migrate ${crdName}: its objects are stored in ${stored}, and the definition stores ${kind.version}; install the definition first`,
  );
};

/** Removes the other versions from `status.storedVersions`. Each attempt checks the storage version again. */
const prune = async (api: KubeApi, kind: AnyKindDefinition, attempt = 1): Promise<void> => {
  const { metadata } = await readCrd(api, kind);
  const { name, resourceVersion } = metadata;
  const patch = { metadata: { resourceVersion }, status: { storedVersions: [kind.version] } };
  try {
    await api.patchStatus(DEFINITIONS, { name }, patch, { fieldManager: FIELD_MANAGER });
  } catch (error) {
    if (attempt >= ATTEMPTS || !hasCode(error, 409)) throw error;
    await prune(api, kind, attempt + 1);
  }
};

/** @returns one entry for each kind whose `status.storedVersions` listed another version */
const migrateKinds = async (api: KubeApi, kinds: readonly AnyKindDefinition[]): Promise<Migrated[]> => {
  const done: Migrated[] = [];
  for (const kind of kinds.filter(({ versions }) => versions !== undefined)) {
    // oxlint-disable no-await-in-loop -- one kind after the other
    const { metadata, status } = await readCrd(api, kind);
    const left = (status?.storedVersions ?? []).filter((version) => version !== kind.version);
    if (left.length === 0) continue;
    const rewritten = await rewriteAll(api, refOf(kind));
    await prune(api, kind);
    // oxlint-enable no-await-in-loop
    done.push({ name: metadata.name, version: kind.version, left, rewritten });
  }
  return done;
};

/**
 * Migrates the stored objects of kinds to the storage version. An administrator runs the migration before a version is
 * removed; the operator itself has no rights for the migration.
 *
 * Flow: if `status.storedVersions` of a CRD lists another version, every object gets an empty patch, so that the API server
 * stores it again. Then the other versions are removed from `status.storedVersions`.
 *
 * Guarantees: the patches do not change fields of the spec or the status. The migration can be interrupted and repeated.
 *
 * Assumptions: all API servers use the installed CRD, as they do minutes after its installation. Conversion works.
 *
 * Caveats: every rewritten object causes an event for its watchers.
 *
 * @returns one entry for each migrated kind
 * @throws {ConfigurationError} when no cluster is found, or when a CRD stores another version than the definition
 * @throws {ApiError} when the API server refuses a request, for example because one of these rights is missing: get and patch
 *   on the CRDs and their status, list and patch on the objects
 * @example
 * await migrateStorage({ kinds: [web] });
 * // [{ name: 'webs.app.example.com', version: 'v1beta1', left: ['v1alpha1'], rewritten: 12 }]
 */
export const migrateStorage = async ({ kinds, env = process.env, ...options }: MigrateOptions): Promise<Migrated[]> => {
  const log = options.log ?? createLogger(logLevelOf(env['LOG_LEVEL']));
  const client = createKubeClient(await loadCredentials({ env }));
  try {
    const migrated = await migrateKinds(client, kinds);
    for (const each of migrated) log.info({ ...each }, 'migrated stored objects');
    return migrated;
  } finally {
    await client.close();
  }
};
