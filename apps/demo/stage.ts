import { fileURLToPath } from 'node:url';
import { resourcePath } from '#lib/kube/client/path.ts';
import type { ApiResource, ApiTarget } from '#lib/kube/interface/api.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { Access } from './cluster/access.ts';
import { documentsOf } from './cluster/install.ts';
import { resourceOf } from './cluster/objects.ts';
import type { Screen } from './screen.ts';

/** Where the lives of the demo are played. */
export interface Stage {
  readonly access: Access;
  readonly namespace: string;
  readonly screen: Screen;
  /** Whether pods run containers. */
  readonly hasKubelets: boolean;
  /** Aborted when the demo is interrupted. */
  readonly ended: AbortSignal;
}

/** Which object. */
export interface Place {
  readonly resource: ApiResource;
  /** As kubectl takes it. */
  readonly short: string;
  readonly name: string;
}

const targetOf = ({ namespace }: Stage, { name }: Pick<Place, 'name'>): ApiTarget => ({ namespace, name });

/** kubectl needs no word for the namespace that it would choose itself. */
const command = async ({ screen, namespace }: Stage, words: string): Promise<void> => {
  await screen.beat();
  screen.command(`kubectl ${namespace === 'default' ? '' : `-n ${namespace} `}${words}`);
};

const byKubectl = { fieldManager: 'kubectl' };

/** Shows `kubectl apply` of a manifest of the repository, and does what it would do. */
export const applyManifest = async (stage: Stage, path: string): Promise<void> => {
  await command(stage, `apply --server-side -f ${path}`);
  const { access, namespace } = stage;
  for (const document of await documentsOf(fileURLToPath(new URL(`../../${path}`, import.meta.url)))) {
    const { name } = document.metadata;
    const object = { ...document, metadata: { ...document.metadata, namespace } };
    await access.api.apply(await resourceOf(access, document), { namespace, name }, object, {
      ...byKubectl,
      force: false,
    });
  }
};

/** Shows `kubectl scale`, and does what it does. */
export const scaleTo = async (stage: Stage, place: Place, replicas: number): Promise<void> => {
  await command(stage, `scale ${place.short}/${place.name} --replicas=${replicas}`);
  const path = `${resourcePath(place.resource, targetOf(stage, place))}/scale`;
  const contentType = 'application/merge-patch+json';
  await stage.access.send({ method: 'PATCH', path, contentType, body: { spec: { replicas } } });
};

/** Shows `kubectl patch`, and does what it does. */
export const patch = async (stage: Stage, place: Place, change: object): Promise<void> => {
  const type = Array.isArray(change) ? 'json' : 'merge';
  await command(stage, `patch ${place.short} ${place.name} --type=${type} -p '${JSON.stringify(change)}'`);
  await stage.access.api.patch(place.resource, targetOf(stage, place), change, { ...byKubectl, type });
};

/** Shows `kubectl delete`, and does what it does. */
export const remove = async (stage: Stage, place: Place): Promise<void> => {
  await command(stage, `delete ${place.short} ${place.name} --wait=false`);
  const { api } = stage.access;
  const { metadata } = await api.get(place.resource, targetOf(stage, place));
  await api.delete(place.resource, targetOf(stage, place), { uid: metadata.uid });
};

/** The status of an object, once the operator has seen its spec; `undefined` before. */
export const statusOf = async <S>(stage: Stage, place: Place): Promise<S | undefined> => {
  const object = await stage.access.api.get(place.resource, targetOf(stage, place));
  const { generation } = object.metadata as { readonly generation?: number };
  const status = object['status'] as (S & { readonly observedGeneration?: number }) | undefined;
  return status?.observedGeneration === generation ? status : undefined;
};

/** Waits until the operator has reported what is expected. */
export const reported = async <S>(stage: Stage, place: Place, isExpected: (status: S) => boolean): Promise<void> =>
  waitFor(`${place.name} to be as expected`, async () => {
    const status = await statusOf<S>(stage, place);
    return status !== undefined && isExpected(status);
  });
