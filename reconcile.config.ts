import { kindsWith } from './apps/kinds.ts';
import { prometheusUrlOf } from './apps/prometheus-url.ts';

/** The kinds that the commands of cdk8s-reconcile are about in this repository, with the settings of its operator. */
export default { kinds: kindsWith({ prometheusUrl: prometheusUrlOf(process.env) }) };
