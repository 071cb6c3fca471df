import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ConfigurationError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { explained, resourcesFor } from '../../objects/find.ts';
import { type KnownResource, type NamedObject, namedObject } from '../../objects/resources.ts';
import type { CliContext, Cluster } from '../../shell/context.ts';
import type { ClusterOptions, ConfigOptions } from '../../shell/options.ts';

/** The resource of a command, its cluster and its kind. */
export interface RolloutSubject {
  readonly cluster: Cluster;
  readonly named: NamedObject;
  readonly definition: AnyKindDefinition;
  /** The word that the user typed. */
  readonly word: string;
}

const definitionOf = ({ resource }: NamedObject, known: readonly KnownResource[]): AnyKindDefinition => {
  if (resource.definition !== undefined) return resource.definition;
  const ours = known.flatMap(({ definition }) => (definition === undefined ? [] : [definition.kind]));
  throw new ConfigurationError(
    `Cannot steer a ${resource.kind}: it is no kind of this project, only ${ours.join(', ') || 'none'} are; for Deployments, StatefulSets and DaemonSets there is kubectl rollout`,
  );
};

/** Connects to the cluster, finds the kind, runs `work`, and disconnects. */
export const withSubject = async <Result>(
  context: CliContext,
  { word, options }: { readonly word: string; readonly options: ClusterOptions & ConfigOptions },
  work: (subject: RolloutSubject) => Promise<Result>,
): Promise<Result> => {
  const known = await resourcesFor(context, options);
  const cluster = await context.connect(options);
  try {
    const named = namedObject(word, { known, namespace: cluster.namespace });
    return await work({ cluster, named, definition: definitionOf(named, known), word });
  } finally {
    await cluster.close();
  }
};

/** Reads the resource, and explains the errors 404 and 501. */
export const readSubject = async ({ cluster, named }: RolloutSubject): Promise<ApiObject> =>
  cluster.api.get(named.resource, named.target).catch((error: unknown) => {
    throw explained(error, named);
  });
