import { type Props, s } from '#lib/kind/schema/schema.ts';

const MAX_CHANGES = 10_000;
const MAX_RULES = 100;

const time = (description: string) =>
  s.unsafe<number | string>({
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    'x-kubernetes-int-or-string': true,
    description,
  });

const anything = (description: string) =>
  s.unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    description,
  });

const object = (example: string) =>
  s.string({
    maxLength: 400,
    minLength: 1,
    description: `The object, as kind/name or namespace/kind/name: ${example}`,
  });

const random = s.optional(
  s.boolean({ description: 'Whether a random selection, which depends on the seed, replaces the order of names' }),
);

/** The fields that select pods. */
const podsFields = {
  of: s.optional(object('Deployer/nginx. Its pods, and those of its children')),
  name: s.optional(s.string({ maxLength: 253, description: 'The pod of this name' })),
  image: s.optional(
    s.string({ maxLength: 512, description: 'Pods with a container of this image; a * is a wildcard' }),
  ),
  count: s.optional(
    s.int32({
      minimum: 1,
      maximum: 100_000,
      description: 'Maximum number of pods, in order of their names. Default 1',
    }),
  ),
  all: s.optional(s.boolean({ description: 'Every one of them, instead of count' })),
  random,
} as const;

const pods = s.unsafe<string | Props<ReturnType<typeof podsObject>>>({
  'x-kubernetes-preserve-unknown-fields': true,
  description: 'A pod by its name, or which pods',
});

/** The schema of a selection of pods. */
export const podsObject = () => s.object(podsFields);

const common = {
  at: time(
    'When, from the start: 90s, 2m30s, 1h, or seconds. "+30s" counts from the change before. Default: as the change before',
  ),
  every: s.optional(time('Time between two occurrences of the change, such as 5m')),
  times: s.optional(
    s.int32({
      minimum: 1,
      maximum: 10_000,
      description: 'With every: the number of occurrences. Default: until the end',
    }),
  ),
  within: s.optional(time('The change happens at a random moment within this time, which depends on the seed')),
  note: s.optional(s.string({ maxLength: 200, description: 'Shown in the timeline in place of the change' })),
} as const;
const at = { ...common, at: s.optional(common.at) } as const;
const lasting = s.optional(time('For how long; without it, until it is restored'));

/** Schemas of the changes of a script, by verb. */
export const changeSchemas = {
  apply: s.object({
    ...at,
    apply: s.unsafe<string | Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[]>({
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A file of manifests, one manifest, or a list of them',
    }),
    copies: s.optional(
      s.int32({ minimum: 1, maximum: 1000, description: 'How many copies; {n} in a text is the number of the copy' }),
    ),
  }),
  patch: s.object({ ...at, patch: object('Deployer/nginx'), with: anything('A merge patch: null removes a field') }),
  delete: s.object({
    ...at,
    delete: object('PodSet/web'),
    cascade: s.optional(
      s.enum(['background', 'foreground', 'orphan'], { description: 'The treatment of its children' }),
    ),
  }),
  scale: s.object({
    ...at,
    scale: object('PodSet/web'),
    to: s.int32({ minimum: 0, maximum: 1_000_000, description: 'How many replicas' }),
  }),
  image: s.object({
    ...at,
    image: object('CanaryRollout/web'),
    to: s.string({ minLength: 1, maxLength: 512, description: 'The new image' }),
    container: s.optional(s.string({ maxLength: 63, description: 'Default: the first one' })),
  }),
  kill: s.object({ ...at, kill: pods }),
  evict: s.object({ ...at, evict: pods }),
  fail: s.object({ ...at, fail: pods, for: lasting }),
  crash: s.object({ ...at, crash: pods, for: lasting, container: s.optional(s.string({ maxLength: 63 })) }),
  lose: s.object({
    ...at,
    lose: s.string({ maxLength: 253, description: 'A node; a * is a wildcard' }),
    count: s.optional(s.int32({ minimum: 1, maximum: 1000, description: 'Maximum number of nodes. Default: all' })),
    random,
    for: lasting,
  }),
  restore: s.object({ ...at, restore: pods }),
  answer: s.object({
    ...at,
    answer: s.string({ minLength: 1, maxLength: 2048, description: 'Requests to this URL; a * is a wildcard' }),
    status: s.optional(s.int32({ minimum: 100, maximum: 599, description: 'Default 200' })),
    body: s.optional(s.string({ maxLength: 1_000_000, description: 'Default: nothing' })),
  }),
} as const;

/** A verb of a script. */
export type Verb = keyof typeof changeSchemas;

const containers = {
  start: s.optional(time('Until the containers of a new pod run. Default 2s')),
  ready: s.optional(time('From then until they are ready; "never" for never. Default 4s')),
  stop: s.optional(time('From the request to terminate until they have stopped. Default 1s')),
  exitAfter: s.optional(time('Time after which they end by themselves')),
  exitCode: s.optional(s.int32({ minimum: 0, maximum: 255, description: 'With exitAfter. Default 0' })),
} as const;

const answers = s.list(
  s.object({
    url: s.string({ minLength: 1, maxLength: 2048, description: 'A * is a wildcard' }),
    status: s.optional(s.int32({ minimum: 100, maximum: 599, description: 'Default 200' })),
    body: s.optional(s.string({ maxLength: 1_000_000, description: 'Default: nothing' })),
  }),
  { maxItems: MAX_RULES, description: 'Responses of external servers; the last one that matches applies' },
);

/** The schema of a script without its changes. Each change has its own schema, which depends on its verb. */
export const scriptSchema = s.object({
  title: s.optional(s.string({ maxLength: 200, description: 'The title of the simulation' })),
  duration: s.optional(time('Simulated time. Default: until nothing changes')),
  nodes: s.optional(
    s.list(s.string({ minLength: 1, maxLength: 253 }), { minItems: 1, maxItems: 1000, description: 'Default: node-1' }),
  ),
  pods: s.optional(
    s.object(
      {
        ...containers,
        spread: s.optional(
          s.int32({
            minimum: 0,
            maximum: 100,
            description: 'Maximum deviation of a pod from these times, in percent. Default 30',
          }),
        ),
        rules: s.optional(
          s.list(
            s.object({
              image: s.string({ minLength: 1, maxLength: 512, description: 'A * is a wildcard' }),
              ...containers,
            }),
            {
              maxItems: MAX_RULES,
              description: 'Pods with such an image behave otherwise; the last one that fits counts',
            },
          ),
        ),
      },
      { description: 'How containers behave' },
    ),
  ),
  http: s.optional(answers),
  changes: s.optional(
    s.unsafe<readonly Readonly<Record<string, unknown>>[]>({
      type: 'array',
      maxItems: MAX_CHANGES,
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      description: 'The changes, in the order of time',
    }),
  ),
});
