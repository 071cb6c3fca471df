import type { State } from '#lib/desired/result/state.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import type { FieldWay } from './fields/lost-fields.ts';
import type { FieldOverride, OwnedFields, Pin } from './fields/pin.ts';

/** An observed child together with the handle of its kind. */
export interface Child {
  readonly kind: KindRef;
  readonly object: Readonly<KubeObject>;
  /** The fields of the object that the operator owns. Absent if the object shows none. */
  readonly owned?: OwnedFields;
}

/** An operation of a JSON patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** The reason why a child is left unchanged. */
export type SkipReason =
  | 'Kept'
  | 'Unchanged'
  | 'Terminating'
  | 'PartialResult'
  | 'HoldsData'
  | 'PruneNeedsConsent'
  | 'ParentDeleting'
  | 'ImmutableField';

/** One write to a child, or the decision to write nothing. Each step has a reason. */
export type Step =
  | {
      readonly step: 'create';
      readonly kind: KindRef;
      readonly name: string;
      /**
       * The object from the function. Namespace, ownership labels and owner reference are added only when the step is executed.
       * A large plan therefore needs no second copy of each object.
       */
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
      /** The uid that the live object must have. */
      readonly uid: string;
      /** The resource version that the live object must still have. */
      readonly resourceVersion?: string;
      /** The patch that is sent in place of the apply, for changes that an apply cannot make. */
      readonly patch?: readonly PatchOperation[];
      /**
       * `Changed`: the intent differs from the intent of the last write. `Drifted`: another manager changed or took over fields
       * of the operator. `Unverified`: the response to the last write is unknown, and the child does not show that the write
       * succeeded. `Overridden`: admission changed fields of the intent in the request of the last write.
       */
      readonly reason: 'Changed' | 'Drifted' | 'Unverified' | 'Overridden';
      /** With `Drifted`: the fields that the operator no longer owns. */
      readonly lost?: readonly FieldWay[];
      /** With `Overridden`: the fields, and the values that admission set. */
      readonly overrides?: readonly FieldOverride[];
    }
  | {
      readonly step: 'adopt';
      readonly kind: KindRef;
      readonly name: string;
      readonly uid: string;
      /** The fields to add: the owner reference, the labels, and for most restored objects an intent annotation. */
      readonly object: KubeObject;
      /**
       * `Orphan`: the function adopts the object. `Restored`: the object has the marks of a child of the resource and no
       * controller, for example after a restore from a backup.
       */
      readonly reason: 'Orphan' | 'Restored';
    }
  | {
      readonly step: 'release';
      readonly kind: KindRef;
      readonly name: string;
      readonly uid: string;
      /** The labels and annotations that are removed together with the owner reference. */
      readonly marks: { readonly labels: Readonly<Record<string, string>>; readonly annotations: readonly string[] };
      readonly reason: 'Released';
    }
  | {
      readonly step: 'remove';
      readonly kind: KindRef;
      readonly name: string;
      readonly uid: string;
      /** The resource version of the observed object. The live object must still have this version. */
      readonly resourceVersion?: string;
      readonly gracePeriodSeconds?: number;
      /** The reason from the function, such as `ScaledDown`. */
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
      /** The child is deleted because an immutable field differs; the next pass creates it again. */
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
      /** With `ImmutableField`: the names of the immutable fields. */
      readonly fields?: readonly string[];
    };

/** True for a step that deletes a child. */
export const goesAway = ({ step }: Pick<Step, 'step'>): boolean =>
  step === 'replace' || step === 'remove' || step === 'prune';

/** The steps of a pass for the children of one resource. */
export interface Plan {
  /**
   * The steps in the order create, apply, adopt, release, replace, remove, prune, skip. Steps of one type have the order of
   * `owns`, reversed for deletions, and then of their names.
   */
  readonly steps: readonly Step[];
  /**
   * The pins to remember for the children, by uid. A child that this pass applies keeps its previous pin, if there is one, until
   * the response to the write replaces the pin.
   */
  readonly pins: ReadonlyMap<string, Pin>;
  /**
   * The state while steps wait for the consent of a user, or an immutable field prevents a change. This state replaces the state
   * from the function.
   */
  readonly stalled?: State;
}
