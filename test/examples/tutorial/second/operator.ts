import { run } from 'cdk8s-reconcile/runtime';
import { website } from './website.ts';

run({ kinds: [website] }).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
