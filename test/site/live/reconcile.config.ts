import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';

/** The project of the live page. */
export default { kinds: [podSet, canaryRollout] };
