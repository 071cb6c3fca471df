import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { operatorPlaceAmong } from '#lib/desired/marks/operator-place.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import { type LiveState, readLive } from '#lib/foresight/cluster/read-live.ts';
import { readManifests } from '../project/manifests.ts';
import type { CliContext, ClusterChoice } from '../shell/context.ts';
import { operatorNamespace } from './operator-namespace.ts';

/** The starting state of a plan, and the default namespace of manifests. */
export interface StartingPoint extends LiveState {
  readonly namespace: string;
  /** The namespace of the operator. Undefined if its Deployment is not in the cluster or dump, or if it does not matter. */
  readonly ownNamespace?: string | undefined;
}

/** The source of the starting state: a dump, if the options name a dump; otherwise a cluster. */
export interface StartOptions extends ClusterChoice {
  readonly against?: string | undefined;
}

const fromDump = async (context: CliContext, path: string): Promise<LiveState> => {
  const manifests = await readManifests([path], context);
  return { objects: manifests.map(({ object }) => object as unknown as LiveObject), notes: [] };
};

/**
 * Reads the starting state of a plan.
 *
 * @param of - the kinds, and `namespacesOf`, which returns the namespaces to read for a default namespace, or `undefined` for all
 *   namespaces
 * @throws {ConfigurationError} for a dump or a kubeconfig that cannot be read or is invalid; also the errors of
 *   {@link readLive}
 */
export const readStart = async (
  context: CliContext,
  { against, ...choice }: StartOptions,
  of: {
    readonly kinds: readonly AnyKindDefinition[];
    readonly namespacesOf: (namespace: string) => readonly string[] | undefined;
  },
): Promise<StartingPoint> => {
  const { kinds, namespacesOf } = of;
  if (against !== undefined) {
    const dump = await fromDump(context, against);
    return { ...dump, namespace: choice.namespace ?? 'default', ownNamespace: operatorPlaceAmong(dump.objects) };
  }
  const cluster = await context.connect(choice);
  try {
    const namespaces = namespacesOf(cluster.namespace);
    const state = await readLive(cluster.api, { kinds, ...(namespaces && { namespaces }) });
    return { ...state, namespace: cluster.namespace, ownNamespace: await operatorNamespace(cluster.api, kinds) };
  } finally {
    await cluster.close();
  }
};
