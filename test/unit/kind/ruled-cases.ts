import { s } from '#lib/kind/schema/schema.ts';
import { builderFields } from './builder-cases.ts';

/** A kind with rules on every level: a scalar, an item, an object with a default, the spec, the whole resource. */
export const ruled = {
  group: 'app.example.com',
  version: 'v1',
  kind: 'Ruled',
  name: { maxLength: 20, isLabel: true },
  validations: [
    {
      rule: "self.metadata.name != 'all' && size(self.spec.names) < 4",
      message: 'the name all is reserved, and names holds at most 3',
    },
  ],
  spec: s.object(
    {
      ...builderFields,
      even: s.int64({
        default: 2,
        validations: [{ rule: 'self % 2 == 0', message: 'must be even' }],
      }),
      names: s.set(s.string({ maxLength: 9, validations: [{ rule: "self != 'a'", message: 'must not be a' }] }), {
        maxItems: 9,
        default: [],
        validations: [{ rule: "!('z' in self) || size(self) == 1", message: 'z stands alone' }],
      }),
      labels: s.stringMap({
        maxProperties: 4,
        values: { maxLength: 9 },
        default: {},
        validations: [{ rule: "self.all(key, !key.startsWith('x'))", message: 'no key starts with x' }],
      }),
      steps: s.list(
        s.object(
          { percent: s.int32({ minimum: 0, maximum: 100 }), pause: s.boolean({ default: false }) },
          { validations: [{ rule: '!self.pause || self.percent < 100', message: 'the last step does not pause' }] },
        ),
        {
          maxItems: 50,
          default: [],
          validations: [{ rule: 'self.map(step, step.percent).isSorted()', message: 'percent must not decrease' }],
        },
      ),
      strategy: s.object(
        {
          least: s.int32({ default: 1 }),
          most: s.int32({ default: 5 }),
          namespace: s.string({ maxLength: 63, default: '' }),
        },
        {
          // The rule runs on this default before the defaults of its fields are added.
          default: {},
          validations: [
            { rule: 'self.least <= self.most', message: 'least must not be greater than most', fieldPath: '.least' },
            { rule: "self.__namespace__ != 'kube-system'", message: 'not kube-system', fieldPath: '.namespace' },
          ],
        },
      ),
      fixed: s.optional(
        s.string({ maxLength: 9, validations: [{ rule: 'self == oldSelf', message: 'fixed is immutable' }] }),
      ),
    },
    {
      validations: [
        {
          rule: "!has(self.maxSurge) || !(string(self.maxSurge) in ['0', '0%'] && string(self.maxUnavailable) in ['0', '0%'])",
          message: 'maxSurge and maxUnavailable must not both be zero',
        },
        {
          rule: 'has(self.fixed) == has(oldSelf.fixed)',
          message: 'fixed is immutable once set or unset',
        },
        {
          rule: "!has(self.pods) || has(self.pods.metadata) && has(self.pods.metadata.labels) && 'app' in self.pods.metadata.labels",
          message: 'pods.metadata.labels must have the key app',
          fieldPath: '.pods',
        },
      ],
    },
  ),
  status: s.object({}),
} as const;

const pods = { spec: { containers: [{ name: 'web', image: 'nginx' }] } };

/** Specs with valid values that break one rule each. */
export const REFUSED_BY_RULES = [
  { reason: 'a rule of a scalar', spec: { even: 3 }, path: 'spec.even', message: 'must be even' },
  { reason: 'a rule of an item', spec: { names: ['b', 'a'] }, path: 'spec.names[1]', message: 'must not be a' },
  { reason: 'a rule of a list', spec: { names: ['b', 'z'] }, path: 'spec.names', message: 'z stands alone' },
  { reason: 'a rule over keys', spec: { labels: { xy: '' } }, path: 'spec.labels', message: 'no key starts with x' },
  {
    reason: 'a rule of an item that is an object',
    spec: { steps: [{ percent: 100, pause: true }] },
    path: 'spec.steps[0]',
    message: 'the last step does not pause',
  },
  {
    reason: 'a rule over items',
    spec: { steps: [{ percent: 5 }, { percent: 4 }] },
    path: 'spec.steps',
    message: 'percent must not decrease',
  },
  {
    reason: 'a rule over a default',
    spec: { strategy: { least: 6 } },
    path: 'spec.strategy.least',
    message: 'least must not be greater than most',
  },
  {
    reason: 'a rule over a field named like a word of CEL',
    spec: { strategy: { namespace: 'kube-system' } },
    path: 'spec.strategy.namespace',
    message: 'not kube-system',
  },
  {
    reason: 'a rule over numbers or percentages',
    spec: { maxSurge: '0%', maxUnavailable: 0 },
    path: 'spec',
    message: 'maxSurge and maxUnavailable must not both be zero',
  },
  {
    reason: 'a rule over a template',
    spec: { pods },
    path: 'spec.pods',
    message: 'pods.metadata.labels must have the key app',
  },
  {
    reason: 'a rule of the resource',
    spec: { names: ['b', 'c', 'd', 'e'] },
    path: '',
    message: 'the name all is reserved, and names holds at most 3',
  },
  {
    reason: 'a requirement without values',
    spec: { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    path: 'spec.selector.matchExpressions[0].values',
    message: 'values are required for In and NotIn',
  },
  {
    reason: 'a requirement with values too many',
    spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
    path: 'spec.selector.matchExpressions[0].values',
    message: 'must be left out for Exists',
  },
] as const;

/** Specs that break no rule. */
export const ACCEPTED_BY_RULES = [
  { reason: 'defaults', spec: {} },
  { reason: 'a rule about the past has none', spec: { fixed: 'a' } },
  { reason: 'z alone', spec: { names: ['z'] } },
  { reason: 'a selector', spec: { selector: { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] } } },
  { reason: 'a template with its label', spec: { pods: { ...pods, metadata: { labels: { app: 'web' } } } } },
  { reason: 'one of two is zero', spec: { maxSurge: 1, maxUnavailable: '0%' } },
] as const;
