import { ReconcileError } from '#lib/errors.ts';

/** A resource that a kind owns, reads or extends, and that a cluster does not serve. */
export interface UnservedNeed {
  /** The kind that cannot run, such as `Portal`. */
  readonly kind: string;
  /** Whether the kind owns or reads the missing resource, or is an extension of it. */
  readonly verb: 'owns' | 'reads' | 'extends';
  /** The resource that is missing. */
  readonly resource: { readonly apiVersion: string; readonly kind: string };
  /** The name of the cluster for the message, such as `the embedded cluster`. */
  readonly cluster: string;
  /** The proposed action, for the message. */
  readonly remedy: string;
}

/**
 * The error for a kind that owns, reads or extends a resource that the cluster does not serve. Resources of this kind cannot be
 * reconciled; other kinds are not affected.
 */
export class UnservedKindError extends ReconcileError {
  declare readonly need: UnservedNeed;

  constructor(need: UnservedNeed, options?: ErrorOptions) {
    const { kind, verb, resource, cluster, remedy } = need;
    const what = `${resource.kind} (${resource.apiVersion})`;
    super('UnservedKind', `${kind} ${verb} ${what}, which ${cluster} does not serve; ${remedy}`, options);
    // The member is not enumerable, because the message already contains it, and Node.js prints enumerable members after the
    // message.
    Object.defineProperty(this, 'need', { value: need });
  }
}
