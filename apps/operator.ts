import { isReconcileError } from '#lib/errors.ts';
import { run } from '#lib/runtime.ts';
import { kinds } from './kinds.ts';

try {
  await run({ kinds });
  process.exit(0);
} catch (error) {
  // A mistake of whoever started it deserves one clear line; a mistake of ours, its stack.
  console.error(isReconcileError(error) ? `operator: ${error.message}` : error);
  process.exit(1);
}
