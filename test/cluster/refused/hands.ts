import type { RefusalReason } from '#lib/desired/observation.ts';
import { ApiError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { KubeClient } from '#lib/kube/client/client.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { fieldManager, type NamedObject } from './objects.ts';

/** The clients that provoke a refusal, and the namespace of the case. */
export interface Hands {
  readonly plane: ControlPlane;
  readonly admin: KubeClient;
  /** A user without rights. */
  readonly nobody: KubeClient;
  readonly namespace: string;
  readonly create: (kind: KindRef, object: NamedObject, options?: { readonly namespace?: string }) => Promise<unknown>;
  readonly apply: (
    kind: KindRef,
    object: NamedObject,
    options?: { readonly namespace?: string; readonly force?: boolean },
  ) => Promise<unknown>;
}

/** One way to be refused. */
export interface Case {
  readonly reason: string;
  readonly expected: RefusalReason;
  readonly httpStatus: number;
  readonly provoke: (on: Hands) => Promise<unknown>;
}

/** Adds `create` and `apply` to the clients of a test. */
export const handsOf = ({ plane, admin, nobody, namespace: own }: Omit<Hands, 'create' | 'apply'>): Hands => ({
  plane,
  admin,
  nobody,
  namespace: own,
  create: async (kind, object, { namespace = own } = {}) => admin.create(kind, object, { namespace, fieldManager }),
  apply: async (kind, object, { namespace = own, force = true } = {}) =>
    admin.apply(kind, { namespace, name: object.metadata.name }, object, { fieldManager, force }),
});

/** Repeats a request until the server refuses it: the server's admission uses a change a moment late. */
export const refusedAtLast = async (request: (attempt: number) => Promise<unknown>): Promise<never> => {
  let answer: unknown;
  let attempt = 0;
  await waitFor('the request to be refused', async () => {
    attempt += 1;
    answer = await request(attempt).catch((error: unknown) => error);
    return answer instanceof ApiError;
  });
  throw answer;
};
