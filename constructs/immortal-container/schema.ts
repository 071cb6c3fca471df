import { s } from '#lib/kind/schema.ts';

/** Longer sentences of containers and kubelets are cut. */
export const MESSAGE_LENGTH = 256;

const seconds = { minimum: 0, maximum: 3600 } as const;

const backoff = s.object(
  {
    initialSeconds: s.int32({
      ...seconds,
      default: 10,
      description:
        'How long the first failure delays the next start, in seconds; doubled by every further one in a row.',
    }),
    maxSeconds: s.int32({
      ...seconds,
      minimum: 1,
      default: 300,
      description: 'The longest delay, in seconds.',
    }),
    resetAfterSeconds: s.int32({
      minimum: 1,
      maximum: 86_400,
      default: 600,
      description: 'After being ready for so many seconds without a break, failures are counted from zero again.',
    }),
  },
  {
    default: { initialSeconds: 10, maxSeconds: 300, resetAfterSeconds: 600 },
    description: 'How failures delay the next start.',
    validations: [
      {
        rule: 'self.initialSeconds <= self.maxSeconds',
        message: 'initialSeconds must not be greater than maxSeconds: lower the one or raise the other',
      },
    ],
  },
);

/** What users write. */
export const immortalContainerSpec = s.object(
  {
    image: s.string({
      minLength: 1,
      maxLength: 512,
      pattern: '^\\S+$',
      description:
        'The image that is kept running, such as nginx:latest. An edit replaces the pod, or its image, see updatePolicy.',
    }),
    restartPolicy: s.enum(['Always', 'OnFailure', 'Never'], {
      default: 'Always',
      description:
        'What the kubelet does when a container ends: start it again in the same pod always, on failure, or never. A pod that has ended is replaced in any case.',
    }),
    updatePolicy: s.enum(['Recreate', 'InPlace'], {
      default: 'Recreate',
      description:
        'What an edit of the image does: Recreate deletes the pod and starts a new one; InPlace changes the image of the running pod, so that the kubelet restarts its container only. Other edits always recreate.',
    }),
    suspend: s.boolean({
      default: false,
      description: 'True stops the pod and starts no other; counters stay. False goes on.',
    }),
    forceDeleteAfterSeconds: s.int32({
      minimum: 0,
      default: 0,
      description:
        'When a pod has not stopped so many seconds after its grace period is over, and its node is gone or tainted node.kubernetes.io/out-of-service, the pod is deleted by force. 0: never.',
    }),
    backoff,
    template: s.optional(
      s.podTemplate({
        description:
          'The rest of the pod: volumes, probes, resources, more containers. The container acontainer, or the first if none is called so, runs spec.image whatever it says here; the name of the pod stays <name>-immortalpod.',
      }),
    ),
  },
  {
    description: 'What is to be kept running, and how.',
    validations: [
      {
        rule: '!has(self.template) || !has(self.template.spec.restartPolicy) || self.template.spec.restartPolicy == self.restartPolicy',
        message: 'template.spec.restartPolicy must be absent or the same as spec.restartPolicy, which counts',
        fieldPath: '.template',
      },
    ],
  },
);

const lastExit = s.object(
  {
    podUID: s.string({ maxLength: 128, description: 'The pod that ended.' }),
    reason: s.string({
      maxLength: 128,
      description:
        'Why: the reason of the container or of the pod, such as Completed, Error, OOMKilled, Evicted; or Deleted, Replaced, Suspended, NodeLost.',
    }),
    exitCode: s.optional(s.int32({ description: 'The exit code of the container, if it ran and told.' })),
    message: s.optional(
      s.string({
        maxLength: MESSAGE_LENGTH,
        description: 'What the container or the kubelet said; the beginning of it.',
      }),
    ),
    finishedAt: s.string({ maxLength: 40, format: 'date-time', description: 'When it ended.' }),
  },
  { description: 'How the last pod ended.' },
);

/** The phases, as `kubectl get` shows them. */
const phases = [
  'Starting',
  'Pending',
  'Running',
  'Exited',
  'Replacing',
  'BackingOff',
  'Blocked',
  'Stuck',
  'Suspended',
] as const;

/** What the operator reports. */
export const immortalContainerStatus = s.object(
  {
    phase: s.enum(phases, {
      description:
        'Where it is in its life: Starting, Pending, Running, Exited, Replacing (the old pod is stopping), BackingOff (waits before the next start), Blocked (the name of the pod is held by somebody else), Stuck (the pod does not stop), Suspended.',
    }),
    startTimes: s.int32({ minimum: 0, description: 'How many pods were started so far.' }),
    consecutiveFailures: s.int32({
      minimum: 0,
      description: 'Failures in a row; they set the delay of the next start.',
    }),
    containerRestarts: s.int32({
      minimum: 0,
      description: 'How often the kubelet started containers of the current pod again.',
    }),
    currentPod: s.optional(s.string({ maxLength: 63, description: 'The name of the pod, while there is one.' })),
    currentPodUID: s.optional(s.string({ maxLength: 128, description: 'Its uid.' })),
    lastStartTime: s.optional(
      s.string({ maxLength: 40, format: 'date-time', description: 'When the last pod was started.' }),
    ),
    readySince: s.optional(
      s.string({ maxLength: 40, format: 'date-time', description: 'Since when the pod has been ready, while it is.' }),
    ),
    nextStartTime: s.optional(
      s.string({
        maxLength: 40,
        format: 'date-time',
        description: 'No pod is started before; only while backing off.',
      }),
    ),
    revision: s.optional(
      s.string({
        maxLength: 32,
        description: 'A hash of what the pod was made of: of its template, and of its image.',
      }),
    ),
    lastExit: s.optional(lastExit),
  },
  { description: 'What the operator observed. Written by the operator alone.' },
);
