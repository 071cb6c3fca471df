import { run } from 'cdk8s-reconcile/runtime';
import { kinds } from './kinds/index.ts';

// Ends with 0 when it is told to end. Anything else ends the process, and its Deployment starts it again.
run({ kinds }).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
