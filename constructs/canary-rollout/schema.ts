import { rolloutCheckFields, rolloutCheckRules } from '#constructs/rollout/checks/schema.ts';
import {
  RESERVED,
  RESERVED_MESSAGE,
  rolloutFields,
  rolloutReplicas,
  rolloutRules,
} from '#constructs/rollout/spec-fields.ts';
import { s } from '#lib/kind/schema/schema.ts';

/**
 * The maximum length of the name of a CanaryRollout. The names of its ReplicaSets, `<name>-<10 characters>-<10 characters>`, then
 * have at most 58 characters. For a pod, the API server adds 5 characters; the limit of a generated name is 63.
 */
export const CANARY_NAME_LENGTH = 36;

const template = s.podTemplate({
  restartPolicies: ['Always'],
  description: 'Template of the pods. A change is a new version, which is rolled out step by step.',
  validations: [
    {
      rule: `!has(self.metadata) || !has(self.metadata.labels) || self.metadata.labels.all(key, !key.startsWith('${RESERVED}'))`,
      message: RESERVED_MESSAGE,
    },
  ],
});

/** The schema of the spec. */
export const canaryRolloutSpec = s.object(
  {
    replicas: rolloutReplicas,
    template,
    ...rolloutFields,
    ...rolloutCheckFields,
  },
  {
    description: 'Desired pods, and the strategy for new versions.',
    validations: [...rolloutRules, ...rolloutCheckRules],
  },
);
