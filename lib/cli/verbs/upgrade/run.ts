import { previewUpgrade, type UpgradeOptions, type UpgradePreview } from '#lib/foresight/upgrade/preview-upgrade.ts';
import { readStart, type StartOptions } from '../../objects/live.ts';
import { loadKinds } from '../../project/config.ts';
import type { CliContext } from '../../shell/context.ts';
import type { ConfigOptions } from '../../shell/options.ts';

/** Options of `upgrade preview`. */
export interface UpgradeChoice extends StartOptions, ConfigOptions {
  readonly from: string;
}

/**
 * Computes the preview for the options. The result also has the objects before the upgrade.
 *
 * @throws {ConfigurationError} for input that cannot be read or is invalid
 */
export const makePreview = async (
  context: CliContext,
  options: UpgradeChoice,
): Promise<UpgradePreview & { readonly live: UpgradeOptions['live'] }> => {
  const { kinds: to } = await loadKinds(context, options);
  const { kinds: from } = await loadKinds(context, { config: options.from, option: '--from' });
  const only = options.namespace;
  const namespacesOf = (): readonly string[] | undefined => (only === undefined ? undefined : [only]);
  const start = await readStart(context, options, { kinds: [...to, ...from], namespacesOf });
  const { objects: live, ownNamespace } = start;
  const preview = await previewUpgrade({ from, to, live, ownNamespace, now: context.now(), signal: context.signal });
  return { ...preview, live, notes: [...start.notes, ...preview.notes] };
};
