import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import type { CheckOptions } from '#lib/foresight/check/check.ts';
import type { JsonObject } from '#lib/json.ts';

/** A kind with a bug, and the finding that it causes. */
export interface Planted {
  readonly kind: string;
  readonly bug: string;
  readonly options: CheckOptions;
  /** The message of the finding. */
  readonly words: RegExp;
  /** The last line of the trace. */
  readonly trace: RegExp;
  /** The fault without which the bug does not show, as a line of the trace. @default none */
  readonly fault?: RegExp;
}

/** The input of a function of any kind. */
export type Seen = Parameters<AnyKindDefinition['desired']>[0];
/** The result of a function of any kind. */
export type Wanted = Desired<unknown>;

/** A kind with another function, which may call the original one. */
export const planted = (
  kind: AnyKindDefinition,
  bug: (seen: Seen, right: (seen: Seen) => Wanted) => Wanted,
): AnyKindDefinition => ({
  ...kind,
  desired: (seen) => bug(seen, (changed) => kind.desired(changed)),
});

/** A manifest of an object `web`. */
export const manifest = (apiVersion: string, kind: string, spec: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'web' },
  spec,
});
