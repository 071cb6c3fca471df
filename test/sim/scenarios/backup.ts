import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resourceNameOf } from '#lib/apiserver/machinery/resources.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { RequestRefusedError } from '#lib/errors.ts';
import type { JsonObject } from '#lib/json.ts';
import { ConfigMap, ControllerRevision, Deployment, type KindRef, Pod, Service } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { simulationOf } from '#lib/sim/cluster.ts';
import { runCalmly } from '#lib/sim/world/calm.ts';
import type { ClusterView, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import { World } from '#lib/sim/world/world.ts';

const ReplicaSet: KindRef = { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets', scope: 'Namespaced' };

/** Kinds of objects below a resource, pods first: a backup tool restores them before all others. */
const below: readonly KindRef[] = [Pod, ReplicaSet, ControllerRevision, Deployment, ConfigMap, Service];

/** Objects in a backup, by kind. */
export type Backup = ReadonlyMap<KindRef, readonly ServerObject[]>;

/** Runs a script, waits until the cluster is at rest, and makes a backup. */
export const backupOf = async (kinds: readonly AnyKindDefinition[], script: readonly ScriptStep[]): Promise<Backup> => {
  const { scenario, createServer } = simulationOf({ name: 'before', kinds, script, outcome: () => null });
  const world = new World({ scenario, seed: 0, createServer });
  await runCalmly(world);
  const all = [...kinds.map(refOf), ...below];
  return new Map(all.map((kind) => [kind, world.view.objects(resourceNameOf(kind))]));
};

/** Metadata as Velero restores it (`resetMetadataAndStatus`), with the label that it adds. */
const keptOf = ({ name, namespace, labels, annotations, finalizers }: ServerObject['metadata']) => ({
  name,
  namespace: namespace ?? 'default',
  labels: { ...labels, 'velero.io/restore-name': 'nightly' },
  ...(annotations && { annotations }),
  ...(finalizers && { finalizers }),
});

const withoutNode = (spec: unknown): unknown => {
  const { nodeName: _node, ...rest } = spec as { readonly nodeName?: string };
  return rest;
};

/** An object as it is restored: another uid, no owner, no status, no managed fields. */
const asRestored = (kind: KindRef, object: ServerObject) => {
  const { metadata, status: _status, spec, ...rest } = object as ServerObject & { spec?: unknown };
  const body = spec === undefined ? {} : { spec: kind === Pod ? withoutNode(spec) : spec };
  return { ...rest, ...body, metadata: keptOf(metadata) } as JsonObject & {
    readonly metadata: { readonly name: string };
  };
};

const restoring = (kind: KindRef, object: ServerObject): ScriptStep => ({
  label: `the backup tool restores ${kind.kind} ${object.metadata.name}`,
  run: (user) => {
    try {
      user.create(kind, asRestored(kind, object));
    } catch (error) {
      // An object that exists already stays as it is.
      if (!(error instanceof RequestRefusedError && error.message.includes('already exists'))) throw error;
    }
  },
});

/**
 * Creates and deletes resources of the same names. The uids of the virtual cluster count the objects of a name, so the restored
 * resources get other uids, as in another cluster.
 */
export const anotherCluster = (backup: Backup): ScriptStep => ({
  label: 'resources of these names were here before',
  run: (user) => {
    for (const [kind, objects] of backup) {
      if (below.includes(kind)) continue;
      for (const object of objects) {
        const { metadata, ...rest } = asRestored(kind, object);
        const { name } = metadata;
        user.create(kind, { ...rest, metadata: { name, namespace: 'default' } });
        user.delete({ resource: kind, namespace: 'default', name });
      }
    }
  },
});

/** The order in which kinds are restored. */
export type Order = 'children first' | 'resources first' | 'as Velero does' | 'revisions last' | 'resources only';

const sortedBy = (order: Order, backup: Backup): readonly KindRef[] => {
  const resources = [...backup.keys()].filter((kind) => !below.includes(kind));
  switch (order) {
    case 'children first':
      return [...below, ...resources];
    case 'resources first':
      return [...resources, ...below];
    case 'resources only':
      return resources;
    case 'revisions last':
      return [...resources, ...below.filter((kind) => kind !== ControllerRevision), ControllerRevision];
    case 'as Velero does': {
      const rest = [...resources, ...below.slice(2)].toSorted((a, b) => (a.plural < b.plural ? -1 : 1));
      return [Pod, ReplicaSet, ...rest];
    }
  }
};

/** The steps that restore a backup, object by object. */
export const restoreIn = (order: Order, backup: Backup): readonly ScriptStep[] =>
  sortedBy(order, backup).flatMap((kind) => (backup.get(kind) ?? []).map((object) => restoring(kind, object)));

/** Restores a backup in one step, so that the operator sees no state in between. */
export const restoreAtOnce = (order: Order, backup: Backup): ScriptStep => ({
  label: `the backup tool restores all, ${order}`,
  run: (user) => restoreIn(order, backup).forEach((step) => step.run(user)),
});

interface Owned {
  readonly name: string;
  readonly controller?: boolean;
}

/** Objects below resources that have no controller. */
export const ownerlessIn = (view: ClusterView, kinds: readonly KindRef[] = below.slice(0, 4)): readonly string[] =>
  kinds.flatMap((kind) =>
    view
      .objects(resourceNameOf(kind))
      .filter(
        ({ metadata }) => !(metadata.ownerReferences as readonly Owned[] | undefined)?.some((it) => it.controller),
      )
      .map(({ metadata }) => `${kind.kind} ${metadata.name}`),
  );
