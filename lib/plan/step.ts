import type { State } from '#lib/desired/result/state.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import type { FieldWay } from './fields/lost-fields.ts';
import type { FieldOverride, OwnedFields, Pin } from './fields/pin.ts';

/** An observed child together with the handle of its kind. */
export interface Child {
  readonly kind: KindRef;
  readonly object: Readonly<KubeObject>;
  /** Our fields of the object, as far as the server shows them. */
  readonly owned?: OwnedFields;
}

/** An operation of a JSON patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** Why nothing is done about a child. */
export type SkipReason =
  | 'Kept'
  | 'Unchanged'
  | 'Terminating'
  | 'PartialResult'
  | 'HoldsData'
  | 'PruneNeedsConsent'
  | 'ParentDeleting'
  | 'ImmutableField';

/** One thing to do, or not to do, about one child; always with its reason. */
export type Step =
  | {
      readonly step: 'create';
      readonly kind: KindRef;
      readonly name: string;
      /** The object as the function declared it. It is stamped when it is written: a large plan holds no object twice. */
      readonly declared: Readonly<KubeObject>;
      readonly reason: 'Missing';
    }
  | {
      readonly step: 'apply';
      readonly kind: KindRef;
      readonly name: string;
      readonly object: KubeObject;
      /** The hash of the intent. */
      readonly intent: string;
      /** The live object must be this one. */
      readonly uid: string;
      /** The live object must not have changed since. */
      readonly resourceVersion?: string;
      /** The patch for changes that an apply cannot make; it is tried first. */
      readonly patch?: readonly PatchOperation[];
      /**
       * `Changed`: the intent differs from the one that the child was written from. `Drifted`: another manager changed our
       * fields, or took them over. `Unverified`: the response to the last write is unknown, and the child does not prove it.
       * `Overridden`: admission changed our fields in the request itself.
       */
      readonly reason: 'Changed' | 'Drifted' | 'Unverified' | 'Overridden';
      /** With `Drifted`: the fields that are no longer ours. */
      readonly lost?: readonly FieldWay[];
      /** With `Overridden`: the fields, with the values. */
      readonly overrides?: readonly FieldOverride[];
    }
  | {
      readonly step: 'adopt';
      readonly kind: KindRef;
      readonly name: string;
      readonly uid: string;
      /** The additions to the orphan: our owner reference and our label. */
      readonly object: KubeObject;
      /** `Restored`: it was a child of a resource of this name, and came back without its owner. */
      readonly reason: 'Orphan' | 'Restored';
    }
  | {
      readonly step: 'release';
      readonly kind: KindRef;
      readonly name: string;
      readonly uid: string;
      /** Label and annotation of our children, which are removed together with the owner reference. */
      readonly marks: { readonly labels: Readonly<Record<string, string>>; readonly annotations: readonly string[] };
      readonly reason: 'Released';
    }
  | {
      readonly step: 'remove';
      readonly kind: KindRef;
      readonly name: string;
      readonly uid: string;
      /** The live object must not have changed since it was observed. */
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
  | {
      /** Deleted, so that the next pass creates it again, because an immutable field differs. */
      readonly step: 'replace';
      readonly kind: KindRef;
      readonly name: string;
      readonly uid: string;
      readonly reason: 'ImmutableField';
    }
  | {
      readonly step: 'skip';
      readonly kind: KindRef;
      readonly name: string;
      readonly reason: SkipReason;
      /** With `ImmutableField`: which fields. */
      readonly fields?: readonly string[];
    };

/** True for a step that deletes a child. */
export const goesAway = ({ step }: Pick<Step, 'step'>): boolean =>
  step === 'replace' || step === 'remove' || step === 'prune';

/** The steps of a pass for the children of one resource. */
export interface Plan {
  /** In order: create, apply, adopt, release, remove, prune, skip; within each by kind and name. */
  readonly steps: readonly Step[];
  /** By uid: the pins of the children that intents apply to; those that are written now, or left alone, have their old one, if any. */
  readonly pins: ReadonlyMap<string, Pin>;
  /** Set when the plan holds something back until a person consents; it overrides the function's state. */
  readonly stalled?: State;
}
