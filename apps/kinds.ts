import { appService } from '#constructs/app-service/kind.ts';
import type { ChecksOptions } from '#constructs/canary-rollout/checks/checks.ts';
import { canaryRolloutWith } from '#constructs/canary-rollout/kind.ts';
import { deployerWith } from '#constructs/deployer/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';

/**
 * The kinds of this repository.
 *
 * @param options - what whoever runs the operator decides; it changes nothing about their APIs
 */
export const kindsWith = (options: ChecksOptions): readonly AnyKindDefinition[] => [
  appService,
  canaryRolloutWith(options),
  deployerWith(options),
  immortalContainer,
  podSet,
];

/** One list for the install bundle and for the process that it installs. */
export const kinds = kindsWith({});
