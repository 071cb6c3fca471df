import { run } from 'cdk8s-reconcile/runtime';
import { kinds } from './kinds/index.ts';

// Ends with 0 after SIGTERM. Any other end is the last line of its log, and its Deployment starts it again.
run({ kinds }).then(
  () => process.exit(0),
  () => process.exit(1),
);
