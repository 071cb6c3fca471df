import { refusedAddress } from '#constructs/canary-rollout/checks/addresses.ts';
import { ConfigurationError, isReconcileError } from '#lib/errors.ts';
import { run } from '#lib/runtime.ts';
import { kindsWith } from './kinds.ts';

/** Where metrics go that name no server; nowhere unless told. */
const prometheusUrl = (): string | undefined => {
  const url = process.env['PROMETHEUS_URL'] || undefined;
  const fault = url === undefined ? undefined : refusedAddress(url);
  if (fault === undefined) return url;
  throw new ConfigurationError(`PROMETHEUS_URL is "${url}": ${fault}`);
};

try {
  await run({ kinds: kindsWith({ prometheusUrl: prometheusUrl() }) });
  process.exit(0);
} catch (error) {
  // A mistake of whoever started it deserves one clear line; a mistake of ours, its stack.
  console.error(isReconcileError(error) ? `operator: ${error.message}` : error);
  process.exit(1);
}
