import { s } from '#lib/kind/schema/schema.ts';

/** Maximum length of a message of a container or the kubelet, in characters; longer messages are cut. */
export const MESSAGE_LENGTH = 256;

const seconds = { minimum: 0, maximum: 3600 } as const;

const backoff = s.object(
  {
    initialSeconds: s.int32({
      ...seconds,
      default: 10,
      description:
        'Delay of the next start after the first failure, in seconds. Doubles with each consecutive failure.',
    }),
    maxSeconds: s.int32({
      ...seconds,
      minimum: 1,
      default: 300,
      description: 'Maximum delay, in seconds.',
    }),
    resetAfterSeconds: s.int32({
      minimum: 1,
      maximum: 86_400,
      default: 600,
      description: 'Time of continuous readiness that resets the count of failures, in seconds.',
    }),
  },
  {
    default: { initialSeconds: 10, maxSeconds: 300, resetAfterSeconds: 600 },
    description: 'Delay of the next start after failures.',
    validations: [
      {
        rule: 'self.initialSeconds <= self.maxSeconds',
        message: 'initialSeconds must not be greater than maxSeconds: lower the one or raise the other',
      },
    ],
  },
);

/** The schema of the spec. */
export const immortalContainerSpec = s.object(
  {
    image: s.string({
      minLength: 1,
      maxLength: 512,
      pattern: '^\\S+$',
      description:
        'Image to keep running, such as nginx:latest. A change replaces the pod or its image, see updatePolicy.',
    }),
    restartPolicy: s.enum(['Always', 'OnFailure', 'Never'], {
      default: 'Always',
      description: 'Restart policy of the pod. A pod that has ended is always replaced.',
    }),
    updatePolicy: s.enum(['Recreate', 'InPlace'], {
      default: 'Recreate',
      description:
        'Effect of a changed image. Recreate deletes the pod and starts a new one; InPlace changes the image of the running pod, so that the kubelet restarts only the container. Other changes always recreate the pod.',
    }),
    suspend: s.boolean({
      default: false,
      description: 'True stops the pod and starts no other; counters are kept. False resumes.',
    }),
    forceDeleteAfterSeconds: s.int32({
      minimum: 0,
      default: 0,
      description:
        'Time after the grace period until a pod that has not stopped is deleted by force, in seconds. Only if its node is gone or has the taint node.kubernetes.io/out-of-service. 0 for never.',
    }),
    backoff,
    template: s.optional(
      s.podTemplate({
        description:
          'Template for the rest of the pod: volumes, probes, resources, further containers. The container named acontainer, or else the first, always runs spec.image. The pod is always named <name>-immortalpod.',
      }),
    ),
  },
  {
    description: 'Desired state of the ImmortalContainer.',
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
    podUID: s.string({ maxLength: 128, description: 'Uid of the pod that ended.' }),
    reason: s.string({
      maxLength: 128,
      description:
        'Reason of the container or the pod, such as Completed, Error, OOMKilled, Evicted; or Deleted, Replaced, Suspended, NodeLost.',
    }),
    exitCode: s.optional(s.int32({ description: 'Exit code of the container, if known.' })),
    message: s.optional(
      s.string({
        maxLength: MESSAGE_LENGTH,
        description: 'Beginning of the termination message of the container or the kubelet.',
      }),
    ),
    finishedAt: s.string({ maxLength: 40, format: 'date-time', description: 'Time of the end.' }),
  },
  { description: 'How the last pod ended.' },
);

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

/** The schema of the status. */
export const immortalContainerStatus = s.object(
  {
    phase: s.enum(phases, {
      description:
        'Phase: Starting, Pending, Running, Exited, Replacing (the old pod is stopping), BackingOff (waits before the next start), Blocked (another owner uses the name of the pod), Stuck (the pod does not stop), Suspended.',
    }),
    startTimes: s.int32({ minimum: 0, description: 'Number of pods started so far.' }),
    consecutiveFailures: s.int32({
      minimum: 0,
      description: 'Number of consecutive failures, which determines the delay of the next start.',
    }),
    containerRestarts: s.int32({
      minimum: 0,
      description: 'Number of container restarts in the current pod.',
    }),
    currentPod: s.optional(s.string({ maxLength: 63, description: 'Name of the pod, if it exists.' })),
    currentPodUID: s.optional(s.string({ maxLength: 128, description: 'Uid of the pod.' })),
    lastStartTime: s.optional(
      s.string({ maxLength: 40, format: 'date-time', description: 'When the last pod was started.' }),
    ),
    readySince: s.optional(
      s.string({
        maxLength: 40,
        format: 'date-time',
        description: 'Since when the pod has been ready; absent while it is not.',
      }),
    ),
    nextStartTime: s.optional(
      s.string({
        maxLength: 40,
        format: 'date-time',
        description: 'Earliest time of the next start; only while backing off.',
      }),
    ),
    revision: s.optional(
      s.string({
        maxLength: 32,
        description: 'Hash of the template and the image of the pod.',
      }),
    ),
    lastExit: s.optional(lastExit),
  },
  { description: 'Observed state. Written by the operator only.' },
);
