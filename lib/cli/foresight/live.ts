import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import { type LiveState, readLive } from '#lib/foresight/cluster/read-live.ts';
import type { CliContext, ClusterChoice } from '../context.ts';
import { readManifests } from '../manifests.ts';

/** What a look ahead starts from, and the namespace of manifests that name none. */
export interface StartingPoint extends LiveState {
  readonly namespace: string;
}

/** Where a look ahead starts: from a dump, if one is named, else from a cluster. */
export interface StartOptions extends ClusterChoice {
  readonly against?: string | undefined;
}

const fromDump = async (context: CliContext, path: string): Promise<LiveState> => {
  const manifests = await readManifests([path], context);
  return { objects: manifests.map(({ object }) => object as unknown as LiveObject), notes: [] };
};

/**
 * Reads what a look ahead starts from.
 *
 * @param namespacesOf - of which namespaces all is read, by the one that is meant when none is named; `undefined` for all
 * @throws {ConfigurationError} for a dump or a kubeconfig that cannot be read
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
  if (against !== undefined) return { ...(await fromDump(context, against)), namespace: choice.namespace ?? 'default' };
  const cluster = await context.connect(choice);
  try {
    const namespaces = namespacesOf(cluster.namespace);
    const state = await readLive(cluster.api, { kinds, ...(namespaces && { namespaces }) });
    return { ...state, namespace: cluster.namespace };
  } finally {
    await cluster.close();
  }
};
