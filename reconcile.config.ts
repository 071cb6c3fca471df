import { kinds } from './apps/kinds.ts';

/** The kinds that the commands of cdk8s-reconcile are about in this repository. */
export default { kinds };
