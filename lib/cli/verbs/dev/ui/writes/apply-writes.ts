import { stringify } from 'yaml';
import { ApiError, ConfigurationError } from '#lib/errors.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import { reportObjectText } from '#lib/foresight/page/report-run.ts';
import { type ApplyRequest, applyRequest } from '#lib/foresight/plan/change.ts';
import { shownObject } from '#lib/foresight/plan/field-changes.ts';
import { SECRET_MESSAGES } from '#lib/foresight/plan/refused.ts';
import { equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';
import { isSecret } from '#lib/kind/handles/secret-kind.ts';
import { tryGet } from '#lib/kube/client/missing.ts';
import type { ApiObject, ApiResource, ApiTarget } from '#lib/kube/interface/api.ts';
import { parseManifests } from '../../../../project/manifests.ts';
import { discoveryOf } from '../../cluster/apply-manifests.ts';
import type { DevCluster } from '../../cluster/dev-cluster.ts';

/** A manifest that is ready to be applied. */
export interface ReadyManifest {
  readonly manifest: LiveObject;
  readonly resource: ApiResource;
  readonly target: ApiTarget;
  /** The object in words, such as `PodSet web`. */
  readonly object: string;
  /** The request that was shown to the user; `undefined` if the object already has all fields of the manifest. */
  readonly request: ApplyRequest | undefined;
  /** The uid of the object; `undefined` if it did not exist. */
  readonly uid: string | undefined;
}

type Home = Pick<DevCluster, 'cluster'>;

const FIELD_MANAGER = 'cdk8s-reconcile-ui';

/** Maximum number of attempts. Each change of the object by another client, such as of its status, needs another attempt. */
const TRIES = 5;

/**
 * Finds out what `kubectl apply` would write for manifests. Writes nothing.
 *
 * @throws {ConfigurationError} for text that is not a manifest, for a manifest without a name, and for a kind that is not
 *   served
 */
export const readyManifests = async (home: Home, yaml: string): Promise<readonly ReadyManifest[]> => {
  const { cluster } = home;
  const { resourceOf } = discoveryOf(cluster);
  const ready: ReadyManifest[] = [];
  for (const { object: manifest, where } of parseManifests('stdin', yaml)) {
    const { apiVersion, kind, metadata } = manifest;
    const { name, namespace = cluster.namespace } = metadata;
    const resource = await resourceOf(manifest);
    if (resource === undefined || name === undefined)
      throw new ConfigurationError(`${where}: the cluster serves no ${kind} of ${apiVersion}, or the name is missing`);
    const target = { name, ...(resource.scope === 'Namespaced' && { namespace }) };
    const object = reportObjectText({ kind, ...target });
    const located = { ...manifest, metadata: { ...metadata, ...target } } as unknown as LiveObject;
    const live = await tryGet(cluster.api, resource, target);
    const request = applyRequest(located, live);
    ready.push({ manifest: located, resource, target, object, request, uid: live?.metadata.uid });
  }
  return ready;
};

/** What a request would write, in YAML, without values of Secrets. */
export const requestText = ({ request, manifest: { apiVersion, kind } }: ReadyManifest): string =>
  stringify(shownObject({ apiVersion, kind, ...request?.body }), { lineWidth: 0 });

const changedMeanwhile = (object: string): ConfigurationError =>
  new ConfigurationError(`${object} has changed meanwhile, so another change would be written now; try it again`);

/** The error, or for a Secret an error without the message of the server, because that can contain values. */
const withoutValues = ({ resource, object }: ReadyManifest, error: unknown): unknown =>
  isSecret(resource) && error instanceof ApiError
    ? new ConfigurationError(`${object} is refused with ${error.httpStatus}; ${SECRET_MESSAGES}`)
    : error;

/** Whether an error means that the object has changed since it was read. */
const isOutdated = (error: unknown): boolean => error instanceof ApiError && error.httpStatus === 409;

const guarded = (patch: JsonObject, { uid, resourceVersion }: ApiObject['metadata']): JsonObject => {
  const metadata = isPlainObject(patch['metadata']) ? patch['metadata'] : {};
  return { ...patch, metadata: { ...metadata, uid, resourceVersion } };
};

/**
 * Applies a manifest, if this still writes what was shown to the user.
 *
 * @returns a sentence about the result
 * @throws {ConfigurationError} when something else would be written now, the object changes during all attempts, or the server
 *   refuses a write of a Secret
 * @throws {ApiError} when the server refuses the write of another object
 */
export const writeManifest = async (home: Home, ready: ReadyManifest): Promise<string> => {
  const { manifest, resource, target, object, request, uid } = ready;
  const { api } = home.cluster;
  const options = { fieldManager: FIELD_MANAGER };
  for (let tries = 1; ; tries += 1) {
    const live = await tryGet(api, resource, target);
    const now = applyRequest(manifest, live);
    if (live?.metadata.uid !== uid || now?.verb !== request?.verb || !equalJson(now?.body, request?.body))
      throw changedMeanwhile(object);
    if (now === undefined) return `${object} is unchanged`;
    try {
      if (live === undefined) {
        const { namespace } = target;
        await api.create(resource, now.body, { ...options, ...(namespace !== undefined && { namespace }) });
        return `${object} is created`;
      }
      const recorded = applyRequest(manifest, live, { isRecorded: true }) ?? now;
      await api.patch(resource, target, guarded(recorded.body, live.metadata), { ...options, type: 'merge' });
      return `${object} is changed`;
    } catch (error) {
      if (!isOutdated(error)) throw withoutValues(ready, error);
      if (tries === TRIES) throw changedMeanwhile(object);
    }
  }
};
