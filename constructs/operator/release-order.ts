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
 * Warns of kinds that a wrong order of releases could break. A version with conversion functions must be served in one release
 * before a later release stores it.
 *
 * @returns a sentence for each kind with conversion functions whose newest version is stored while an older version is served.
 *   There are no warnings if `isReleased`, because the comparison with the release refuses the wrong order (`stored-too-early`)
 */
export const releaseOrderWarnings = (
  kinds: readonly AnyKindDefinition[],
  { isReleased }: { readonly isReleased: boolean },
): readonly string[] => (isReleased ? [] : kinds.flatMap((kind) => warningOf(kind)));
