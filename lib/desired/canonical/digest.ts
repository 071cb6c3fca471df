import { hash } from 'node:crypto';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { canonicalText } from './canonical.ts';

/**
 * The annotation of the loop for a member that is read on demand; the API server's object does not have it, see
 * `KindRef.onDemand`.
 */
export const DIGEST_ANNOTATION = 'cdk8s-reconcile/digest';

/** A digest of a JSON value: equal for values that mean the same to the API server. */
export const digestOf = (value: unknown): string => hash('sha256', canonicalText(value), 'base64url');

/** The digest of the member that is read on demand; undefined where the cache holds the member. */
export const keptDigestOf = ({ metadata }: Readonly<KubeObject>): string | undefined =>
  metadata?.annotations?.[DIGEST_ANNOTATION];
