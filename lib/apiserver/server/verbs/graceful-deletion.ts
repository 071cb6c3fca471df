import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { conflict } from '#lib/apiserver/machinery/status.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import { type Call, type Target, withMetadata } from '../target.ts';
import type { DeletionOptions } from './delete-options.ts';

/** The effect of a deletion on an object. */
export type DeletionVerdict =
  /** The object is terminating already, and this deletion does not shorten its grace period. */
  | { readonly is: 'pending' }
  /** The object can be removed unless it has finalizers. */
  | { readonly is: 'immediate' }
  /** The object is marked as terminating, and stays for `seconds`, its grace period. */
  | { readonly is: 'graceful'; readonly object: ServerObject; readonly seconds: number };

/** Checks the preconditions of a deletion. @throws {StatusError} 409 when the stored object has another uid or version */
const checkPreconditions = (
  { kind }: Target,
  { metadata }: ServerObject,
  { uid, resourceVersion }: DeletionOptions,
): void => {
  const subject = { group: kind.group, kind: kind.kind, name: metadata.name };
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      subject,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      subject,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
};

/** Shortens the grace period of a terminating object. A longer or equal period has no effect. */
const shorten = ({ server }: Call, object: ServerObject, requested: number): DeletionVerdict => {
  const { deletionGracePeriodSeconds = 0, deletionTimestamp = '' } = object.metadata;
  if (requested >= deletionGracePeriodSeconds) return { is: 'pending' };
  const moved = Date.parse(deletionTimestamp) + (requested - deletionGracePeriodSeconds) * 1000;
  const isOver = moved < server.now();
  const seconds = isOver && requested !== 0 ? 1 : requested;
  const changes = {
    deletionTimestamp: timestamp(isOver ? server.now() : moved),
    deletionGracePeriodSeconds: seconds,
  };
  return { is: 'graceful', object: withMetadata(object, changes), seconds };
};

const begin = ({ server }: Call, object: ServerObject, seconds: number): DeletionVerdict => {
  const { generation = 0 } = object.metadata;
  const changes = {
    deletionTimestamp: timestamp(server.now() + seconds * 1000),
    deletionGracePeriodSeconds: seconds,
    ...(generation > 0 && { generation: generation + 1 }),
  };
  return { is: 'graceful', object: withMetadata(object, changes), seconds };
};

/**
 * Checks the preconditions of a deletion and decides its effect on the object.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/rest/delete.go (`BeforeDelete`)
 * @throws {StatusError} 409
 */
export const beforeDelete = (call: Call, object: ServerObject, options: DeletionOptions): DeletionVerdict => {
  checkPreconditions(call.target, object, options);
  const { strategy } = call.target.kind;
  const { gracePeriodSeconds: requested } = options;
  if (strategy.gracePeriodSeconds === undefined) return { is: 'immediate' };
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp === undefined) return begin(call, object, strategy.gracePeriodSeconds(object, requested));
  if (deletionGracePeriodSeconds === 0) return { is: 'immediate' };
  return requested === undefined ? { is: 'pending' } : shorten(call, object, requested);
};

/**
 * Marks an object with finalizers as terminating.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/generic/registry/store.go (`markAsDeleting`)
 */
export const markAsDeleting = ({ server }: Call, object: ServerObject): ServerObject => {
  const { deletionTimestamp, generation = 0 } = object.metadata;
  const isFirst = deletionTimestamp === undefined;
  const isLater = !isFirst && Date.parse(deletionTimestamp) > server.now();
  return withMetadata(object, {
    ...(isFirst && generation > 0 && { generation: generation + 1 }),
    ...((isFirst || isLater) && { deletionTimestamp: timestamp(server.now()) }),
    deletionGracePeriodSeconds: 0,
  });
};
