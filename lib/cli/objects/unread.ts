import type { ApiError } from '#lib/errors.ts';
import { UnservedKindError } from '#lib/foresight/served/unserved-kind-error.ts';
import { isBuiltIn } from '#lib/plan/canonical-intent.ts';

/** A kind that cannot be listed (`resource`), and the kind that has it in `owns` or `reads` (`owner`). */
export interface UnreadObjects {
  readonly owner: string;
  readonly verb: 'owns' | 'reads';
  readonly resource: { readonly apiVersion: string; readonly kind: string };
}

/**
 * HTTP status codes that affect a single kind, so that other kinds can still be listed: forbidden, not served, not implemented.
 */
export const UNREADABLE: ReadonlySet<number> = new Set([403, 404, 501]);

const FORBIDDEN = 403;

/** The message about a kind that cannot be listed. */
export const unreadInWords = ({ owner, verb, resource }: UnreadObjects, error: ApiError): string => {
  if (error.httpStatus === FORBIDDEN) return error.message;
  const remedy = isBuiltIn(resource) ? 'use a cluster that serves it' : 'install its CustomResourceDefinition';
  return new UnservedKindError({ kind: owner, verb, resource, cluster: 'this cluster', remedy }).message;
};
