import { hash } from 'node:crypto';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { canonicalText } from './canonical.ts';

/**
 * The annotation of a cached object in which the loop keeps the digest of a member that is read on demand (`KindRef.onDemand`).
 * The object on the API server does not have this annotation.
 */
export const DIGEST_ANNOTATION = 'cdk8s-reconcile/digest';

/** The SHA-256 digest of the canonical form of a JSON value, as base64url. */
export const digestOf = (value: unknown): string => hash('sha256', canonicalText(value), 'base64url');

/** Returns the digest that a cached object has in place of a member; undefined if the object has no such digest. */
export const keptDigestOf = ({ metadata }: Readonly<KubeObject>): string | undefined =>
  metadata?.annotations?.[DIGEST_ANNOTATION];
