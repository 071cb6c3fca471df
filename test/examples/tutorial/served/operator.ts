import { run } from 'cdk8s-reconcile/runtime';
import { website } from './website.ts';

run({ kinds: [website] }).then(
  () => process.exit(0),
  () => process.exit(1), // what ended it is the last line of its log
);
