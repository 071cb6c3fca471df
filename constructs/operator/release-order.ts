import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { versionsOf } from '#lib/kind/versions/chain.ts';
import { needsWebhook } from '#lib/kind/versions/webhook.ts';

const sentenceOf = (kind: string, { stored, older }: { readonly stored: string; readonly older: string }): string =>
  `${kind} stores ${stored}, which functions convert from ${older}. If no release has served ${stored} yet, writes in ${older} fail until the new operator runs, and one Flux Kustomization with resources never lets it run. Set released, and synth refuses that order (docs/versions.md)`;

const warningOf = (kind: AnyKindDefinition): readonly string[] => {
  const versions = versionsOf(kind);
  const isNewest = versions.at(-1)?.version === kind.version;
  const older = versions.slice(0, -1).filter(({ served = true }) => served);
  if (!needsWebhook(kind) || !isNewest || older.length === 0) return [];
  return [sentenceOf(kind.kind, { stored: kind.version, older: older.map(({ version }) => version).join(', ') })];
};

/**
 * Checks the order of versions without the last release: before a version with conversion functions is stored, one release must
 * serve it.
 *
 * @returns a sentence for each kind whose newest version is stored while an older version is served. There are none when
 *   `isReleased` is set, because the comparison with the release refuses a wrong order (`stored-too-early`)
 */
export const releaseOrderWarnings = (
  kinds: readonly AnyKindDefinition[],
  { isReleased }: { readonly isReleased: boolean },
): readonly string[] => (isReleased ? [] : kinds.flatMap((kind) => warningOf(kind)));
