import { kinds } from './kinds/index.ts';

// What `npx cdk8s-reconcile dev`, `run`, `tree`, `explain`, `doctor` and the others are about.
export default { kinds };
