import { appService } from '#constructs/app-service/kind.ts';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { deployer } from '#constructs/deployer/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';

/** The kinds of this repository, for the operator and its bundle. */
export const kinds: readonly AnyKindDefinition[] = [appService, canaryRollout, deployer, immortalContainer, podSet];
