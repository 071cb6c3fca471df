import { rolloutCheckFields, rolloutCheckRules } from '#constructs/rollout/checks/schema.ts';
import type { rolloutStatus } from '#constructs/rollout/engine/state/memory.ts';
import {
  RESERVED,
  RESERVED_MESSAGE,
  rolloutFields,
  rolloutReplicas,
  rolloutRules,
} from '#constructs/rollout/spec-fields.ts';
import type { Resource } from '#lib/desired/definition.ts';
import { type Static, s } from '#lib/kind/schema/schema.ts';

const DNS_LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';

const deployment = s.object(
  {
    name: s.string({
      minLength: 1,
      maxLength: 40,
      pattern: DNS_LABEL,
      description:
        'Name of the application. Its Deployments are named <name>-<version>. Immutable, and unique within a namespace.',
    }),
    namespace: s.optional(
      s.string({
        minLength: 1,
        maxLength: 63,
        pattern: DNS_LABEL,
        description: 'Namespace of the Deployer itself. Optional; any other value is refused. Immutable.',
      }),
    ),
    image: s.string({
      minLength: 1,
      maxLength: 400,
      pattern: '^\\S+$',
      description:
        'Image of the container. The version is its tag, unless the image has a tag or digest. It can change only together with the version.',
    }),
    version: s.string({
      minLength: 1,
      maxLength: 40,
      pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
      description: 'Version to run, such as 1.7.8. A new version is rolled out step by step.',
    }),
    labels: s.stringMap({
      maxProperties: 32,
      values: { maxLength: 63 },
      default: {},
      description: 'Labels of the pods and the Deployments. They are not used in selectors.',
    }),
    replicas: rolloutReplicas,
  },
  {
    description: 'Desired state of the Deployer.',
    validations: [
      {
        rule: 'self.name == oldSelf.name',
        message: 'deployment.name cannot be changed: create another Deployer',
        fieldPath: '.name',
      },
      {
        rule: 'has(self.__namespace__) == has(oldSelf.__namespace__) && (!has(self.__namespace__) || self.__namespace__ == oldSelf.__namespace__)',
        message: 'deployment.namespace cannot be changed: create another Deployer',
        fieldPath: '.namespace',
      },
      {
        rule: 'self.version != oldSelf.version || self.image == oldSelf.image',
        message: 'image may change only together with version: give the new image a version of its own',
        fieldPath: '.image',
      },
      {
        rule: 'size(self.name) + size(self.version) <= 46',
        message:
          'name and version must not be longer than 46 characters together, which leaves room for the names of ReplicaSets and pods',
        fieldPath: '.version',
      },
      {
        rule: `!has(self.labels) || self.labels.all(key, !key.startsWith('${RESERVED}'))`,
        message: RESERVED_MESSAGE,
        fieldPath: '.labels',
      },
    ],
  },
);

/** The schema of the spec. */
export const deployerSpec = s.object(
  {
    type: s.enum(['canary'], { default: 'canary', description: 'Strategy for new versions.' }),
    deployment,
    ...rolloutFields,
    ...rolloutCheckFields,
  },
  {
    description: 'Desired pods, and the strategy for new versions.',
    validations: [...rolloutRules, ...rolloutCheckRules],
  },
);

/** The field `spec.deployment`: the application to run, and its version. */
export type DeploymentSpec = Static<typeof deployment>;

/** A Deployer in the form in which the API server stores it. */
export type StoredDeployer = Resource<typeof deployerSpec, typeof rolloutStatus>;
