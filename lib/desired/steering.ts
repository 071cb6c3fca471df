import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';

/** A current or earlier template of a resource, from a ControllerRevision. */
export interface Revision {
  /** The name of the ControllerRevision: `<owner>-<hash>`. */
  readonly name: string;
  readonly hash: string;
  /** A number that grows with every change of the template. */
  readonly number: number;
  readonly template: PodTemplateSpec;
}

/**
 * The commands of a user for a rollout:
 *
 * - `pause`, `resume`: begin no new step; continue
 * - `promote`: continue after a step that waits for a user; `skip`: end a step early; `promote-full`: go to the end at once
 * - `abort`: return to the stable version; `retry`: roll out an aborted version again
 * - `undo`: request an earlier version
 */
export const steeringVerbs = ['pause', 'resume', 'promote', 'skip', 'promote-full', 'abort', 'retry', 'undo'] as const;

/** One of {@link steeringVerbs}. */
export type SteeringVerb = (typeof steeringVerbs)[number];

/** The command of a user. */
export interface SteeringOrder {
  readonly verb: SteeringVerb;
  /** A unique id of the command, for kinds that execute each command once. At most 63 characters. */
  readonly id: string;
  /** The current and earlier templates of the resource, oldest first; from its ControllerRevisions, if it owns any. */
  readonly revisions: readonly Revision[];
  /** For `undo`: the requested version, by its hash or by a name that the kind defines. @default the previous version */
  readonly to?: string | undefined;
}

/** A field to set. */
export interface SteeringEdit {
  /** The names of members from the root of the object, as in `['spec', 'paused']`. Missing members of the path are created. */
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The outcome of a command. */
export interface SteeringOutcome {
  readonly isDone: boolean;
  /** A description of the result, such as `StepPromoted`, or the reason for the failure. */
  readonly message: string;
}

/** The field edits that execute a command, or the reason why the command is refused. */
export type SteeringAnswer<R = unknown> =
  | {
      /** The fields to set; empty when the resource has the requested state already. */
      readonly edits: readonly SteeringEdit[];
      /** The result for the user, such as `paused`. */
      readonly says: string;
      /**
       * Reads the outcome of the command from the resource; returns undefined while the outcome is unknown.
       *
       * @default the command is done when the edits are written
       */
      readonly outcomeIn?: (resource: R) => SteeringOutcome | undefined;
    }
  | {
      /** The reason, and possible alternatives. */
      readonly refused: string;
    };
