import { kinds } from './kinds/index.ts';

// The kinds of `npx cdk8s-reconcile dev`, `run`, `tree`, `explain`, `doctor` and the other commands.
export default { kinds };
