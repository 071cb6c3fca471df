import { s } from '#lib/kind/schema/schema.ts';
import type { RefusedSpec } from './resource-cases.ts';

/** Fields of the builders for types of Kubernetes. */
export const builderFields = {
  total: s.optional(s.int64({ minimum: 0 })),
  sleepSeconds: s.optional(s.durationSeconds({ maximum: 604_800 })),
  maxSurge: s.optional(s.intOrString({ maximumPercent: 999 })),
  maxUnavailable: s.intOrString({ maximum: 50, default: '25%' }),
  memory: s.optional(s.quantity()),
  secret: s.optional(s.secretName()),
  selector: s.optional(s.labelSelector()),
  pods: s.optional(s.podTemplate({ restartPolicies: ['Always'], maxContainers: 2 })),
} as const;

const REQUIREMENT = { key: 'app.example.com/tier', operator: 'In', values: ['web'] } as const;
const podsOf = (container: object, more: object = {}) => ({
  pods: { spec: { containers: [{ name: 'web', image: 'nginx', ...container }], ...more } },
});

/** Specs that break one bound of a builder each. */
export const REFUSED_BY_BUILDERS: readonly RefusedSpec[] = [
  { reason: 'beyond what JavaScript counts', spec: { total: 2 ** 53 }, path: 'spec.total', rule: 'maximum' },
  { reason: 'a negative count', spec: { total: -1 }, path: 'spec.total', rule: 'minimum' },
  { reason: 'no Go duration', spec: { sleepSeconds: '30s' }, path: 'spec.sleepSeconds', rule: 'type' },
  { reason: 'no fraction of a second', spec: { sleepSeconds: 0.5 }, path: 'spec.sleepSeconds', rule: 'type' },
  { reason: 'no negative duration', spec: { sleepSeconds: -1 }, path: 'spec.sleepSeconds', rule: 'minimum' },
  { reason: 'longer than a week', spec: { sleepSeconds: 604_801 }, path: 'spec.sleepSeconds', rule: 'maximum' },
  { reason: 'no percentage', spec: { maxSurge: 'abc' }, path: 'spec.maxSurge', rule: 'pattern' },
  { reason: 'a number in quotes', spec: { maxSurge: '5' }, path: 'spec.maxSurge', rule: 'pattern' },
  { reason: 'a negative number', spec: { maxSurge: -1 }, path: 'spec.maxSurge', rule: 'minimum' },
  { reason: 'a fraction', spec: { maxSurge: 1.5 }, path: 'spec.maxSurge', rule: 'type' },
  { reason: 'a negative percentage', spec: { maxSurge: '-1%' }, path: 'spec.maxSurge', rule: 'pattern' },
  { reason: 'more than the whole', spec: { maxUnavailable: '101%' }, path: 'spec.maxUnavailable', rule: 'pattern' },
  { reason: 'beyond the maximum', spec: { maxUnavailable: 51 }, path: 'spec.maxUnavailable', rule: 'maximum' },
  { reason: 'no such unit', spec: { memory: '64MB' }, path: 'spec.memory', rule: 'pattern' },
  { reason: 'a negative amount', spec: { memory: '-1' }, path: 'spec.memory', rule: 'pattern' },
  { reason: 'a fraction without quotes', spec: { memory: 0.5 }, path: 'spec.memory', rule: 'type' },
  { reason: 'a way out of the path', spec: { secret: '../token' }, path: 'spec.secret', rule: 'pattern' },
  { reason: 'another namespace', spec: { secret: 'other/token' }, path: 'spec.secret', rule: 'pattern' },
  {
    reason: 'a key without a name',
    spec: { selector: { matchExpressions: [{ key: 'a.b/', operator: 'Exists' }] } },
    path: 'spec.selector.matchExpressions[0].key',
    rule: 'pattern',
  },
  {
    reason: 'no such operator',
    spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Equals' }] } },
    path: 'spec.selector.matchExpressions[0].operator',
    rule: 'enum',
  },
  {
    reason: 'no label value',
    spec: { selector: { matchLabels: { app: 'a b' } } },
    path: 'spec.selector.matchLabels.app',
    rule: 'pattern',
  },
  { reason: 'a template without spec', spec: { pods: {} }, path: 'spec.pods.spec', rule: 'required' },
  {
    reason: 'a template without containers',
    spec: { pods: { spec: {} } },
    path: 'spec.pods.spec.containers',
    rule: 'required',
  },
  {
    reason: 'no container',
    spec: { pods: { spec: { containers: [] } } },
    path: 'spec.pods.spec.containers',
    rule: 'min-items',
  },
  {
    reason: 'too many containers',
    spec: { pods: { spec: { containers: ['a', 'b', 'c'].map((name) => ({ name, image: 'x' })) } } },
    path: 'spec.pods.spec.containers',
    rule: 'max-items',
  },
  {
    reason: 'a container without image',
    spec: { pods: { spec: { containers: [{ name: 'web' }] } } },
    path: 'spec.pods.spec.containers[0].image',
    rule: 'required',
  },
  {
    reason: 'an image with a space',
    spec: podsOf({ image: 'a b' }),
    path: 'spec.pods.spec.containers[0].image',
    rule: 'pattern',
  },
  {
    reason: 'two containers of one name',
    spec: {
      pods: {
        spec: {
          containers: [
            { name: 'a', image: 'x' },
            { name: 'a', image: 'y' },
          ],
        },
      },
    },
    path: 'spec.pods.spec.containers[1]',
    rule: 'duplicate',
  },
  {
    reason: 'another restart policy',
    spec: podsOf({}, { restartPolicy: 'Never' }),
    path: 'spec.pods.spec.restartPolicy',
    rule: 'enum',
  },
];

/** Valid specs. */
export const ACCEPTED_BY_BUILDERS = [
  { reason: 'the largest whole number', spec: { total: Number.MAX_SAFE_INTEGER } },
  { reason: 'a week', spec: { sleepSeconds: 604_800 } },
  { reason: 'a number or a percentage', spec: { maxSurge: '250%', maxUnavailable: 0 } },
  { reason: 'the whole', spec: { maxSurge: 3, maxUnavailable: '100%' } },
  { reason: 'amounts', spec: { memory: '64Mi' } },
  { reason: 'amounts with fractions', spec: { memory: '1.5e3' } },
  { reason: 'a bare amount', spec: { memory: 2 } },
  { reason: 'a name with dots', spec: { secret: 'token.v1-a' } },
  {
    reason: 'a selector of both forms',
    spec: { selector: { matchLabels: { 'a.b/c': '' }, matchExpressions: [REQUIREMENT] } },
  },
  { reason: 'an empty selector', spec: { selector: {} } },
  {
    reason: 'what a template has besides',
    spec: podsOf({ ports: [{ containerPort: 80 }] }, { hostNetwork: true, initContainers: [] }),
  },
  {
    reason: 'what kubectl writes',
    spec: {
      pods: {
        metadata: { creationTimestamp: null, labels: { app: 'a' } },
        spec: { containers: [{ name: 'a', image: 'b', resources: {} }] },
      },
    },
  },
] as const;
