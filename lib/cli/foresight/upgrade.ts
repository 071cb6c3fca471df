import { previewUpgrade, type UpgradePreview } from '#lib/foresight/upgrade/preview-upgrade.ts';
import { loadKinds } from '../config.ts';
import type { CliContext } from '../context.ts';
import type { ConfigOptions } from '../options.ts';
import { readStart, type StartOptions } from './live.ts';

/** What the command `upgrade preview` is told. */
export interface UpgradeChoice extends StartOptions, ConfigOptions {
  readonly from: string;
}

/**
 * Makes the preview of a command line.
 *
 * @throws {ConfigurationError} for what cannot be read
 */
export const makePreview = async (context: CliContext, options: UpgradeChoice): Promise<UpgradePreview> => {
  const { kinds: to } = await loadKinds(context, options);
  const { kinds: from } = await loadKinds(context, { config: options.from });
  const only = options.namespace;
  const namespacesOf = (): readonly string[] | undefined => (only === undefined ? undefined : [only]);
  const start = await readStart(context, options, { kinds: [...to, ...from], namespacesOf });
  const preview = await previewUpgrade({ from, to, live: start.objects, now: context.now(), signal: context.signal });
  return { ...preview, notes: [...start.notes, ...preview.notes] };
};
