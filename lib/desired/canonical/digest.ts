import { hash } from 'node:crypto';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { canonicalText } from './canonical.ts';

/** What the loop says of a member that it reads on demand; no annotation of the API server's object, see `KindRef.onDemand`. */
export const DIGEST_ANNOTATION = 'cdk8s-reconcile/digest';

/** A digest of a JSON value: equal for values that mean the same to the API server. */
export const digestOf = (value: unknown): string => hash('sha256', canonicalText(value), 'base64url');

/** The digest of what an object holds in the member that is read on demand; undefined where it is held. */
export const keptDigestOf = ({ metadata }: Readonly<KubeObject>): string | undefined =>
  metadata?.annotations?.[DIGEST_ANNOTATION];
