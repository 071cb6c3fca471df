import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import type { CheckOptions } from '#lib/foresight/check/check.ts';
import type { JsonObject } from '#lib/json.ts';

/** A kind with a bug in it, and where it shows. */
export interface Planted {
  readonly kind: string;
  readonly bug: string;
  readonly options: CheckOptions;
  /** How it is told. */
  readonly words: RegExp;
  /** The last words of the trace. */
  readonly trace: RegExp;
  /** The misfortune without which it does not show. @default none is needed */
  readonly misfortune?: RegExp;
}

/** What a function of any kind sees. */
export type Seen = Parameters<AnyKindDefinition['desired']>[0];
/** What it answers. */
export type Wanted = Desired<unknown>;

/** A kind whose function is another one, which may ask the right one. */
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
