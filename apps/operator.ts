import { run } from '#lib/runtime.ts';
import { kinds } from './kinds.ts';

// The error is not printed, because the last line of the log has the reason for the end of the process.
run({ kinds }).then(
  () => process.exit(0),
  () => process.exit(1),
);
