import { ReconcileError } from '#lib/errors.ts';

/** What a kind needs of a cluster, and the cluster does not serve. */
export interface UnservedNeed {
  /** The kind of the author, such as `Portal`. */
  readonly kind: string;
  /** Whether the kind owns or reads it, or is an extension of it. */
  readonly verb: 'owns' | 'reads' | 'extends';
  /** The resource that is missing. */
  readonly resource: { readonly apiVersion: string; readonly kind: string };
  /** Which cluster, as in `the embedded cluster`. */
  readonly cluster: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** A kind owns or reads what a cluster does not serve, so its resources cannot be reconciled there. Other kinds can. */
export class UnservedKindError extends ReconcileError {
  declare readonly need: UnservedNeed;

  constructor(need: UnservedNeed, options?: ErrorOptions) {
    const { kind, verb, resource, cluster, remedy } = need;
    const what = `${resource.kind} (${resource.apiVersion})`;
    super('UnservedKind', `${kind} ${verb} ${what}, which ${cluster} does not serve; ${remedy}`, options);
    // The message tells it; where an error is printed with its members, it need not come a second time.
    Object.defineProperty(this, 'need', { value: need });
  }
}
