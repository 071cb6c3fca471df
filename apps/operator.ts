import { run } from '#lib/runtime.ts';
import { kinds } from './kinds.ts';

// What ends it is the last line of its log.
run({ kinds }).then(
  () => process.exit(0),
  () => process.exit(1),
);
