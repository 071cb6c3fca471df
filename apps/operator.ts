import { isReconcileError } from '#lib/errors.ts';
import { run } from '#lib/runtime.ts';
import { kindsWith } from './kinds.ts';
import { prometheusUrlOf } from './prometheus-url.ts';

try {
  await run({ kinds: kindsWith({ prometheusUrl: prometheusUrlOf(process.env) }) });
  process.exit(0);
} catch (error) {
  // A mistake of whoever started it deserves one clear line; a mistake of ours, its stack.
  console.error(isReconcileError(error) ? `operator: ${error.message}` : error);
  process.exit(1);
}
