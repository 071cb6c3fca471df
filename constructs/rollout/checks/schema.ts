import { type Static, s } from '#lib/kind/schema/schema.ts';
import { BOUND_LENGTH, BOUND_PATTERN, type Bound } from './bounds.ts';
import { certificateAuthority, credentials, secretName } from './trust-schema.ts';

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

/** The URL of a Prometheus server. The query is appended to the URL, so the URL must not contain `?` or `#`. */
const ADDRESS_PATTERN = '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$';

/** The format of names. A name is a part of an idempotency key, whose parts are separated by slashes. */
const NAME_PATTERN = '^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$';

/** A URL without user and password, because credentials belong in a Secret. */
const URL_PATTERN = '^https?://[^\\s/?#@]+([/?#]\\S*)?$';

const MAX_METRICS = 10;
const MAX_HOOKS = 10;
const MAX_NOTICES = 5;

const name = (what: string) =>
  s.string({
    minLength: 1,
    maxLength: 63,
    pattern: NAME_PATTERN,
    description: `Name, unique among ${what}: letters, digits, -, _ and dots.`,
  });

const bound = (description: string) =>
  s.optional(
    s.unsafe<Bound>({
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      maxLength: BOUND_LENGTH,
      // A CEL rule is not possible here. Before Kubernetes 1.34, the API server ignores the maxLength of an integer-or-string
      // field. The estimated cost of a rule would therefore be too high.
      pattern: BOUND_PATTERN,
      description,
    }),
  );

/**
 * Defaults of a metric. These defaults are not in the schema, because `steps` is an atomic list. With a default within the list,
 * the stored list would differ from an applied list without the field. Argo CD with server-side apply would then report
 * OutOfSync.
 */
export const METRIC_DEFAULTS = {
  series: 'One',
  initialDelaySeconds: 0,
  intervalSeconds: 30,
  failureLimit: 0,
  errorLimit: 4,
  onNoData: 'Inconclusive',
  inconclusiveLimit: 4,
  dryRun: false,
} as const;

/** Defaults of a hook. These defaults are not in the schema, for the same reason as {@link METRIC_DEFAULTS}. */
export const HOOK_DEFAULTS = { timeoutSeconds: 10, retries: 0 } as const;

/** The schema of a metric of a step: one query to Prometheus, repeated while the step sleeps. */
export const metricSchema = s.object(
  {
    name: name('the metrics of the step'),
    query: s.string({
      minLength: 1,
      maxLength: 1024,
      description:
        'An instant query in PromQL that returns a scalar or a vector of one series. {{canary}} and {{stable}} are the versions; {{canaryPods}} and {{stablePods}} are regular expressions that match the names of their pods. Also available: {{canaryHash}}, {{stableHash}}, {{step}}, {{percent}}, {{name}}, {{namespace}}.',
    }),
    min: bound('Minimum value that passes: an integer, or a decimal number as a string, such as "0.99".'),
    max: bound('Maximum value that passes: an integer, or a decimal number as a string, such as "0.5".'),
    series: s.optional(
      s.enum(['One', 'First'], {
        description:
          'Series of a vector to use. One treats several series as an error, because their order is undefined; First uses the first, for queries with sort() or sort_desc(). Defaults to One.',
      }),
    ),
    address: s.optional(
      s.string({
        minLength: 1,
        maxLength: 256,
        pattern: ADDRESS_PATTERN,
        description:
          'URL of the Prometheus server, such as http://prometheus.monitoring.svc:9090. The operator must allow it as a metric host. Defaults to the PROMETHEUS_URL of the operator.',
      }),
    ),
    initialDelaySeconds: s.optional(
      s.int32({
        minimum: 0,
        maximum: 86_400,
        description:
          'Delay of the first sample after the pods of the step are available, in seconds: the time until Prometheus has data. A step lasts at least this long. Defaults to 0.',
      }),
    ),
    intervalSeconds: s.optional(
      s.int32({
        minimum: 1,
        maximum: 86_400,
        description:
          'Interval between samples while the step sleeps, in seconds. One more sample is taken when the sleep is over. Defaults to 30.',
      }),
    ),
    failureLimit: s.optional(
      s.int32({
        minimum: 0,
        maximum: 1000,
        description:
          'Maximum number of samples of a step outside the bounds. One more aborts the rollout. Defaults to 0.',
      }),
    ),
    errorLimit: s.optional(
      s.int32({
        minimum: 0,
        maximum: 1000,
        description:
          'Maximum number of consecutive samples without an answer. One more pauses the rollout until a person resumes it. Defaults to 4.',
      }),
    ),
    onNoData: s.optional(
      s.enum(['Inconclusive', 'Fail', 'Pass'], {
        description:
          'Meaning of an empty vector, NaN or infinity. Inconclusive waits for the next sample, up to inconclusiveLimit; Fail counts as outside the bounds, Pass as within. Defaults to Inconclusive.',
      }),
    ),
    inconclusiveLimit: s.optional(
      s.int32({
        minimum: 0,
        maximum: 1000,
        description:
          'Maximum number of consecutive samples without data. One more pauses the rollout until a person resumes it. Defaults to 4.',
      }),
    ),
    dryRun: s.optional(
      s.boolean({
        description: 'Takes and reports samples without an effect on the rollout. Defaults to false.',
      }),
    ),
    credentials,
    certificateAuthority,
  },
  {
    description: 'A metric that must be within its bounds for the step to pass.',
    validations: [
      { rule: 'has(self.min) || has(self.max)', message: 'a metric needs min, max or both' },
      {
        rule: '!has(self.min) || !has(self.max) || double(self.min) <= double(self.max)',
        message: 'min must not be greater than max',
      },
    ],
  },
);

/** The schema of a hook: a POST to a server, once or repeatedly, at the times that the type of the hook defines. */
export const hookSchema = s.object(
  {
    name: name('the hooks of the step and of the whole rollout'),
    type: s.enum([...HOOK_TYPES], {
      description:
        'When the hook is called. ConfirmRollout, ConfirmStep, ConfirmPromotion: every 30 s until a 2xx, before the rollout begins, before a step ends, before the last step begins. Pre: before pods are created. Step: once they are ready. Post: after the end. Rollback: every 30 s; a 2xx aborts the rollout. Event: after each event.',
    }),
    url: s.string({
      minLength: 1,
      maxLength: 1024,
      pattern: URL_PATTERN,
      description: 'Target of a POST. The operator must allow its host.',
    }),
    timeoutSeconds: s.optional(
      s.int32({ minimum: 1, maximum: 60, description: 'Timeout of a single attempt, in seconds. Defaults to 10.' }),
    ),
    retries: s.optional(
      s.int32({
        minimum: 0,
        maximum: 10,
        description:
          'Number of retries after no answer, a 5xx, 408, 425 or 429, all with the same Idempotency-Key. Defaults to 0.',
      }),
    ),
    credentials,
    certificateAuthority,
  },
  { description: 'A hook: a POST of JSON that passes with any 2xx.' },
);

/** The schema of a receiver of notifications. */
export const noticeSchema = s.object(
  {
    type: s.enum(['Slack', 'Webhook'], {
      description: 'Format of the body. Slack: {"text": …}. Webhook: the body of hooks, with the event and the text.',
    }),
    url: s.optional(
      s.string({
        minLength: 1,
        maxLength: 1024,
        pattern: URL_PATTERN,
        description: 'Target of the POST. The operator must allow its host. A Slack URL is a secret: use secretName.',
      }),
    ),
    secretName: s.optional(
      secretName(
        'A Secret of this namespace, of type cdk8s-reconcile/http-credentials, whose key url holds the URL. Its annotation cdk8s-reconcile/allowed-hosts must list the host.',
      ),
    ),
  },
  {
    description: 'A notification. The rollout does not wait for it.',
    validations: [
      { rule: 'has(self.url) != has(self.secretName)', message: 'a notice needs either url or secretName' },
    ],
  },
);

/** A metric as written in the spec, without defaults. */
export type WrittenMetric = Static<typeof metricSchema>;

/** A metric with the values of {@link METRIC_DEFAULTS} for absent fields. */
export type Metric = WrittenMetric & { readonly [K in keyof typeof METRIC_DEFAULTS]: NonNullable<WrittenMetric[K]> };

/** A hook as written in the spec, without defaults. */
export type Hook = Static<typeof hookSchema>;

/** A receiver of notifications as written in the spec. */
export type Notice = Static<typeof noticeSchema>;

const hooks = (description: string) =>
  s.optional(s.mapList(hookSchema, { keys: ['name'], maxItems: MAX_HOOKS, description }));

const notices = (description: string) => s.optional(s.list(noticeSchema, { maxItems: MAX_NOTICES, description }));

/** The fields of a step for metrics, hooks and notifications. */
export const stepCheckFields = {
  metrics: s.optional(
    s.mapList(metricSchema, {
      keys: ['name'],
      maxItems: MAX_METRICS,
      description: 'Metrics to check while the step sleeps, and once more when the sleep is over.',
    }),
  ),
  webhooks: hooks('Hooks of this step.'),
  notify: notices('Receivers of notifications when the rollout passes this step, or is paused or aborted at it.'),
};

/** The fields of a spec for hooks and notifications that apply to whole rollouts. */
export const rolloutCheckFields = {
  webhooks: hooks('Hooks of every rollout. The types Step, ConfirmStep and Rollback are called at every step.'),
  notify: notices(
    'Receivers of notifications when a rollout starts, passes a step, is paused or aborted, or completes.',
  ),
};

/** Validation rules for a spec that includes {@link stepCheckFields} and {@link rolloutCheckFields}. */
export const rolloutCheckRules = [
  {
    rule: '!has(self.webhooks) || !has(self.steps) || self.steps.all(step, !has(step.webhooks) || step.webhooks.all(hook, !self.webhooks.exists(other, other.name == hook.name)))',
    message:
      'a hook of a step must not have the name of a hook of the whole rollout: both would share an idempotency key',
  },
];
