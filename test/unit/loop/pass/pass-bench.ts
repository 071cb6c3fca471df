import { InvariantError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { observe } from '#lib/loop/pass/observe.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import type { LoopBench } from '#test/unit/support/loop-bench.ts';
import { strangersPod } from '#test/unit/support/shelf-kind.ts';

/** The snapshot of a resource in the namespace `default`, from the caches as they are. */
export const snapshotOf = (context: Context, name: string): Snapshot => {
  const seen = observe(context, keyOf('default', name));
  if (!seen) throw new InvariantError(`The resource "${name}" was not seen`);
  return seen;
};

/** A pod of a shelf as a backup restores it: with the loop's annotations and labels, and without an owner. */
export const strayPod = (name: string, metadata: object = {}) =>
  strangersPod(name, {
    labels: { 'demo.example.com/shelf': 'shelf' },
    annotations: { 'cdk8s-reconcile/intent': 'x7k2p9dqzt' },
    ...metadata,
  });

interface Body {
  readonly metadata?: ApiObject['metadata'] & { readonly ownerReferences?: readonly object[] };
}

/** A policy that sets other owners in each request of the loop for objects of one resource, as a webhook does. */
export const setOwners = (bench: LoopBench, plural: string, owners?: readonly object[]): void => {
  bench.api.mutate = ({ resource, verb }, body) => {
    if (resource !== plural || !['create', 'apply', 'patch'].includes(verb) || Array.isArray(body)) return body;
    const object = body as Body | undefined;
    if (object?.metadata?.ownerReferences === undefined) return body;
    const { ownerReferences: _taken, ...metadata } = object.metadata;
    return { ...object, metadata: { ...metadata, ...(owners && { ownerReferences: owners }) } };
  };
};

/** The types of the patches that the loop sends from now on. */
export const patchTypesOf = ({ api: { client } }: LoopBench): string[] => {
  const types: string[] = [];
  const send = client.patch.bind(client);
  Object.assign(client, {
    patch: async (...request: Parameters<typeof send>) => {
      types.push(request[3].type);
      return send(...request);
    },
  });
  return types;
};

/** The options of the deletions that the loop sends from now on. */
export const deletionsOf = ({ api: { client } }: LoopBench): unknown[] => {
  const sent: unknown[] = [];
  const send = client.delete.bind(client);
  Object.assign(client, {
    delete: async (...request: Parameters<typeof send>) => {
      sent.push(request[2]);
      return send(...request);
    },
  });
  return sent;
};

/** Writes into the status of the resource `shelf` as another controller. */
export const writeStatusAs = async ({ api, kind }: LoopBench, fieldManager: string, status: object): Promise<void> => {
  await api.client.patchStatus(kind, { namespace: 'default', name: 'shelf' }, { status }, { fieldManager });
};
