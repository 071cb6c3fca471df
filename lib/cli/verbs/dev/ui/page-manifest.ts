import { stringify } from 'yaml';
import type { PageAnswer } from '#lib/foresight/page/live/trial.ts';
import { shownObject } from '#lib/foresight/plan/field-changes.ts';
import type { JsonObject } from '#lib/json.ts';
import { groupOf } from '#lib/kind/handles/reference.ts';
import { isSecret } from '#lib/kind/handles/secret-kind.ts';
import type { ApiObject, ApiResource } from '#lib/kube/interface/api.ts';
import { wordsOf } from '../../../shell/report.ts';
import type { DevCluster } from '../cluster/dev-cluster.ts';

/** The object of a request: its kind and its name, as the page shows them. */
export interface PageObject {
  readonly kind: string;
  /** The API group; absent for the core group. */
  readonly group?: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The answer to a request that cannot be executed. */
export const pageProblem = (message: string): { readonly problem: { readonly message: string } } => ({
  problem: { message },
});

/** Metadata that a manifest leaves out, in addition to the metadata that {@link shownObject} leaves out. */
const LIVE_METADATA: ReadonlySet<string> = new Set([
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'ownerReferences',
]);

/**
 * The manifest of a live object: without its status, owner references and finalizers, and without the metadata that the server
 * sets.
 */
export const manifestText = (object: ApiObject): string => {
  const { status: _status, metadata, ...rest } = shownObject(object);
  const kept = Object.entries(metadata as JsonObject).filter(([name]) => !LIVE_METADATA.has(name));
  const { apiVersion, kind, ...fields } = rest;
  return stringify({ apiVersion, kind, metadata: Object.fromEntries(kept), ...fields }, { lineWidth: 0 });
};

/** Finds the resource of an object among the resources that the page shows. */
const resourceOfObject = (shown: readonly ApiResource[], { kind, group = '' }: PageObject): ApiResource | undefined =>
  shown.find((resource) => resource.kind === kind && groupOf(resource.apiVersion) === group);

/** The manifest of an object of the page, for the text area. Secrets have none, because their values are never shown. */
export const pageManifest = async (
  { cluster }: Pick<DevCluster, 'cluster'>,
  shown: readonly ApiResource[],
  object: PageObject,
): Promise<PageAnswer<{ readonly yaml: string }>> => {
  const resource = resourceOfObject(shown, object);
  if (resource === undefined) return pageProblem(`The page does not show ${object.kind}`);
  if (isSecret(resource)) return pageProblem('The values of a Secret are never shown; write its manifest yourself');
  const { namespace, name } = object;
  try {
    return { yaml: manifestText(await cluster.api.get(resource, { name, ...(namespace && { namespace }) })) };
  } catch (error) {
    return pageProblem(wordsOf(error));
  }
};
