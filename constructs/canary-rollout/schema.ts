import { s } from '#lib/kind/schema.ts';
import { rolloutCheckFields, rolloutCheckRules } from './checks/schema.ts';
import { RESERVED, RESERVED_MESSAGE, rolloutFields, rolloutReplicas, rolloutRules } from './spec-fields.ts';

/** The longest name of a CanaryRollout: those of its ReplicaSets, `<name>-<10>-<10>`, and of their pods stay below 63. */
export const NAME_LENGTH = 36;

const template = s.podTemplate({
  restartPolicies: ['Always'],
  description: 'What every pod looks like. An edit is a new version, which is rolled out by the steps.',
  validations: [
    {
      rule: `!has(self.metadata) || !has(self.metadata.labels) || self.metadata.labels.all(key, !key.startsWith('${RESERVED}'))`,
      message: RESERVED_MESSAGE,
    },
  ],
});

/** What users write. */
export const canaryRolloutSpec = s.object(
  {
    replicas: rolloutReplicas,
    template,
    ...rolloutFields,
    ...rolloutCheckFields,
  },
  { description: 'What runs, and how new versions of it come.', validations: [...rolloutRules, ...rolloutCheckRules] },
);
