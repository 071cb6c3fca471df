import { type Static, s } from '#lib/kind/schema.ts';
import { BOUND_LENGTH, BOUND_PATTERN, type Bound } from './bounds.ts';

/** The points in the life of a rollout at which a hook may be called. */
export const HOOK_TYPES = [
  'ConfirmRollout',
  'Pre',
  'Step',
  'ConfirmStep',
  'ConfirmPromotion',
  'Post',
  'Rollback',
  'Event',
] as const;

/** One of {@link HOOK_TYPES}. */
export type HookType = (typeof HOOK_TYPES)[number];

/** What may stand in an idempotency key between slashes. */
const NAME_PATTERN = '^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$';

/** Without a user: what is secret belongs into a Secret. */
const URL_PATTERN = '^https?://[^\\s/?#@]+([/?#]\\S*)?$';

const MAX_METRICS = 10;
const MAX_HOOKS = 10;
const MAX_NOTICES = 5;

const name = (what: string) =>
  s.string({
    minLength: 1,
    maxLength: 63,
    pattern: NAME_PATTERN,
    description: `Tells ${what} apart: letters, digits, -, _ and dots.`,
  });

const secretName = (description: string) => s.secretName({ description });

const credentials = s.optional(
  s.object(
    {
      secretName: secretName(
        'A Secret of this namespace, of type cdk8s-reconcile/http-credentials. Its annotation cdk8s-reconcile/allowed-hosts must list the host.',
      ),
    },
    { description: 'Where the Authorization header of the request comes from: the key authorization of a Secret.' },
  ),
);

const bound = (description: string) =>
  s.optional(
    s.unsafe<Bound>({
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      maxLength: BOUND_LENGTH,
      description,
      'x-kubernetes-validations': [
        {
          rule: `type(self) == int || self.matches('${BOUND_PATTERN}')`,
          message: 'must be an integer, or a decimal number as text, such as "0.99"',
        },
      ],
    }),
  );

/** One question to Prometheus, asked again and again while a step sleeps. */
export const metricSchema = s.object(
  {
    name: name('the metrics of a step'),
    query: s.string({
      minLength: 1,
      maxLength: 1024,
      description:
        'An instant query in PromQL that gives a scalar or a vector; the first sample of a vector counts. {{canary}} and {{stable}} are the versions, {{canaryPods}} and {{stablePods}} regular expressions for the names of their pods; also {{canaryHash}}, {{stableHash}}, {{step}}, {{percent}}, {{name}}, {{namespace}}.',
    }),
    min: bound('The least value that passes; an integer, or a decimal number as text, such as "0.99".'),
    max: bound('The greatest value that passes; an integer, or a decimal number as text, such as "0.5".'),
    address: s.optional(
      s.string({
        minLength: 1,
        maxLength: 256,
        pattern: URL_PATTERN,
        description:
          'Of the Prometheus server, such as http://prometheus.monitoring.svc:9090. Without it the PROMETHEUS_URL of the operator is asked.',
      }),
    ),
    intervalSeconds: s.int32({
      minimum: 1,
      maximum: 86_400,
      default: 30,
      description: 'Seconds between two samples while the step sleeps. One more is taken when the sleep is over.',
    }),
    failureLimit: s.int32({
      minimum: 0,
      maximum: 1000,
      default: 0,
      description: 'So many samples of a step may lie outside of the bounds; one more aborts the rollout.',
    }),
    errorLimit: s.int32({
      minimum: 0,
      maximum: 1000,
      default: 4,
      description: 'So many samples in a row may come to no answer; one more pauses the rollout for a human.',
    }),
    onNoData: s.enum(['Inconclusive', 'Fail', 'Pass'], {
      default: 'Inconclusive',
      description:
        'What an empty vector, NaN or an infinity means: Inconclusive pauses the rollout for a human, Fail counts as a sample outside of the bounds, Pass as one within.',
    }),
    dryRun: s.boolean({
      default: false,
      description: 'Takes samples and reports them, and decides nothing.',
    }),
    credentials,
  },
  {
    description: 'A metric that a step has to meet.',
    validations: [
      { rule: 'has(self.min) || has(self.max)', message: 'a metric needs min, max or both' },
      {
        rule: '!has(self.min) || !has(self.max) || double(self.min) <= double(self.max)',
        message: 'min must not be greater than max',
      },
    ],
  },
);

/** A call of somebody else's server at one point in the life of a rollout. */
export const hookSchema = s.object(
  {
    name: name('the hooks of a step, and those of the whole rollout from them,'),
    type: s.enum([...HOOK_TYPES], {
      description:
        'When it is called. ConfirmRollout, ConfirmStep, ConfirmPromotion: asked every 30 s until a 2xx lets the rollout begin, a step end, the last step begin. Pre: before pods come. Step: once they are ready. Post: after the end. Rollback: asked every 30 s, a 2xx aborts. Event: told of what happens.',
    }),
    url: s.string({
      minLength: 1,
      maxLength: 1024,
      pattern: URL_PATTERN,
      description: 'Where a POST goes. The operator must allow its host.',
    }),
    timeoutSeconds: s.int32({ minimum: 1, maximum: 60, default: 10, description: 'Of one try.' }),
    retries: s.int32({
      minimum: 0,
      maximum: 10,
      default: 0,
      description: 'Further tries when no answer comes, or a 5xx, 408, 425 or 429; all under one Idempotency-Key.',
    }),
    credentials,
  },
  { description: 'A hook: a POST of JSON, passed by any 2xx.' },
);

/** Whom to tell. */
export const noticeSchema = s.object(
  {
    type: s.enum(['Slack', 'Webhook'], {
      description: 'Slack gets {"text": …}; Webhook gets what hooks get, with what happened and the text.',
    }),
    url: s.optional(
      s.string({
        minLength: 1,
        maxLength: 1024,
        pattern: URL_PATTERN,
        description: 'Where the POST goes. The operator must allow its host. A Slack URL is secret: use secretName.',
      }),
    ),
    secretName: s.optional(
      secretName(
        'A Secret of this namespace, of type cdk8s-reconcile/http-credentials, whose key url holds the URL. Its annotation cdk8s-reconcile/allowed-hosts must list the host.',
      ),
    ),
  },
  {
    description: 'A notice. It is sent beside the rollout, which never waits for it.',
    validations: [
      { rule: 'has(self.url) != has(self.secretName)', message: 'a notice needs either url or secretName' },
    ],
  },
);

/** A metric as a function sees it: with its defaults. */
export type Metric = Static<typeof metricSchema>;

/** A hook as a function sees it. */
export type Hook = Static<typeof hookSchema>;

/** A notice as a function sees it. */
export type Notice = Static<typeof noticeSchema>;

const hooks = (description: string) =>
  s.optional(s.mapList(hookSchema, { keys: ['name'], maxItems: MAX_HOOKS, description }));

const notices = (description: string) => s.optional(s.list(noticeSchema, { maxItems: MAX_NOTICES, description }));

/** Fields that a step carries beside its percent and sleep. */
export const stepCheckFields = {
  metrics: s.optional(
    s.mapList(metricSchema, {
      keys: ['name'],
      maxItems: MAX_METRICS,
      description: 'What the new version has to show while the step sleeps, and once more when the sleep is over.',
    }),
  ),
  webhooks: hooks('Called at this step alone.'),
  notify: notices('Told when the rollout passes this step, or is paused or aborted at it.'),
};

/** Fields that the spec of a rollout carries for its whole life. */
export const rolloutCheckFields = {
  webhooks: hooks('Called in every rollout; those of type Step, ConfirmStep and Rollback at every step.'),
  notify: notices('Told when a rollout starts, passes a step, is paused or aborted, or has completed.'),
};

/** Rules over the spec that {@link stepCheckFields} and {@link rolloutCheckFields} are part of. */
export const rolloutCheckRules = [
  {
    rule: '!has(self.webhooks) || !has(self.steps) || self.steps.all(step, !has(step.webhooks) || step.webhooks.all(hook, !self.webhooks.exists(other, other.name == hook.name)))',
    message:
      'a hook of a step must not have the name of a hook of the whole rollout: both would share an idempotency key',
  },
];
