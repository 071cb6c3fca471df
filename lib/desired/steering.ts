import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';

/** A template that a resource has or had, as a ControllerRevision keeps it. */
export interface Revision {
  /** Name of the ControllerRevision: `<owner>-<hash>`. */
  readonly name: string;
  readonly hash: string;
  /** Grows with every change of the template; the newest has the highest. */
  readonly number: number;
  readonly template: PodTemplateSpec;
}

/**
 * The commands of a user for a rollout:
 *
 * - `pause`, `resume`: begin no new step; continue
 * - `promote`: continue after a step that waits for a person; `skip`: end a step early; `promote-full`: go to the end at once
 * - `abort`: return to the stable version; `retry`: roll out an aborted version again
 * - `undo`: request an earlier version
 */
export const steeringVerbs = ['pause', 'resume', 'promote', 'skip', 'promote-full', 'abort', 'retry', 'undo'] as const;

/** One of {@link steeringVerbs}. */
export type SteeringVerb = (typeof steeringVerbs)[number];

/** The command of a user. */
export interface SteeringOrder {
  readonly verb: SteeringVerb;
  /** Differs from the id of any other command, for kinds that carry out each command once. At most 63 characters. */
  readonly id: string;
  /** Templates that the resource has or had, oldest first; from its ControllerRevisions, if it owns any. */
  readonly revisions: readonly Revision[];
  /** For `undo`: the version that is meant, by its hash or as the kind calls it. @default the one before */
  readonly to?: string | undefined;
}

/** A field that is set. */
export interface SteeringEdit {
  /** The names of members from the root of the object, as in `['spec', 'paused']`. Missing members on the way are created. */
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The outcome of a command. */
export interface SteeringOutcome {
  readonly isDone: boolean;
  /** In words: `StepPromoted`, or why not. */
  readonly message: string;
}

/** The write that executes a command: none, when the state is already reached; or the reason why it is impossible. */
export type SteeringAnswer<R = unknown> =
  | {
      /** None when there is nothing to do. */
      readonly edits: readonly SteeringEdit[];
      /** The result for the user, such as `paused`. */
      readonly says: string;
      /**
       * Reads the outcome of the command from the resource; returns undefined while the outcome is unknown. @default the
       * command is done when the edits are written
       */
      readonly outcomeIn?: (resource: R) => SteeringOutcome | undefined;
    }
  | {
      /** The reason, and possible alternatives. */
      readonly refused: string;
    };
