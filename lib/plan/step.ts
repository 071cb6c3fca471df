import type { State } from '#lib/desired/state.ts';
import type { KindRef, KubeObject } from '#lib/kind/reference.ts';

/** An observed child together with the handle of its kind. */
export interface Child {
  readonly kind: KindRef;
  readonly object: Readonly<KubeObject>;
}

/** Why nothing is done about a child. */
export type SkipReason = 'Kept' | 'Unchanged' | 'Terminating' | 'PartialResult' | 'HoldsData' | 'PruneNeedsConsent';

/** One thing to do, or not to do, about one child; always with its reason. */
export type Step =
  | {
      readonly step: 'create';
      readonly kind: KindRef;
      readonly name: string;
      readonly object: KubeObject;
      readonly reason: 'Missing';
    }
  | {
      readonly step: 'apply';
      readonly kind: KindRef;
      readonly name: string;
      readonly object: KubeObject;
      /** The live object must be this one. */
      readonly uid: string;
      /** The live object must not have changed since. */
      readonly resourceVersion?: string;
      /** The intent is another one than the child was made of. */
      readonly reason: 'Changed';
    }
  | {
      readonly step: 'adopt';
      readonly kind: KindRef;
      readonly name: string;
      readonly uid: string;
      readonly reason: 'Orphan';
    }
  | {
      readonly step: 'release';
      readonly kind: KindRef;
      readonly name: string;
      readonly uid: string;
      readonly reason: 'Released';
    }
  | {
      readonly step: 'remove';
      readonly kind: KindRef;
      readonly name: string;
      readonly uid: string;
      /** The live object must not have changed since: set while the parent is being deleted. */
      readonly resourceVersion?: string;
      readonly gracePeriodSeconds?: number;
      /** The function's own reason, such as `ScaledDown`. */
      readonly reason: string;
    }
  | {
      readonly step: 'prune';
      readonly kind: KindRef;
      readonly name: string;
      readonly uid: string;
      readonly resourceVersion: string;
      readonly reason: 'Undeclared';
    }
  | { readonly step: 'skip'; readonly kind: KindRef; readonly name: string; readonly reason: SkipReason };

/** What a pass will do to the children of one resource. */
export interface Plan {
  /** In order: create, apply, adopt, release, remove, prune, skip; within each by kind and name. */
  readonly steps: readonly Step[];
  /** Set when the plan holds something back until a person consents; it overrides the function's state. */
  readonly stalled?: State;
}
