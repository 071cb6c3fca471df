import type { ApiObject } from '#lib/kube/interface/api.ts';
import { listAt, textAt } from '../../objects/json.ts';
import { type StuckContainer, seenConditionOf, stuckContainers } from '../../objects/readiness.ts';
import type { Cause } from './cause.ts';

interface Words {
  readonly why: string;
  readonly next: string;
}

const imageOf = (pod: ApiObject, container: string): string => {
  const all = [...listAt(pod, 'spec', 'initContainers'), ...listAt(pod, 'spec', 'containers')];
  const found = all.find((each) => each['name'] === container);
  return textAt(found, 'image') ?? 'its image';
};

const misconfigured = (name: string, message: string): Words => {
  const said = message === '' ? '' : `: ${message}`;
  if (!/runAsNonRoot/.test(message))
    return {
      why: `container ${name} refers to something that is not there${said}`,
      next: 'create the ConfigMap or Secret that is named, or correct the reference',
    };
  return {
    why: `container ${name} may not run as root${said}`,
    next: 'set securityContext.runAsUser to a number above 0, or use an image with a numeric user',
  };
};

const wordsOf = (pod: ApiObject, { name, reason, message, restarts, lastEnd }: StuckContainer): Words => {
  const { namespace, name: own } = pod.metadata;
  const logs = `kubectl -n ${namespace} logs ${own} -c ${name}`;
  const said = message === '' ? '' : `: ${message}`;
  switch (reason) {
    case 'ErrImagePull':
    case 'ImagePullBackOff':
      return {
        why: `the image ${imageOf(pod, name)} of container ${name} cannot be pulled${said}`,
        next: 'correct the name of the image, or give the pod a pull secret',
      };
    case 'InvalidImageName':
      return {
        why: `the image ${imageOf(pod, name)} of container ${name} has no valid name${said}`,
        next: 'correct the name of the image',
      };
    case 'CrashLoopBackOff':
      return {
        why: `container ${name} ends again and again (${restarts} restarts)${lastEnd === '' ? '' : `, the last time with ${lastEnd}`}`,
        next: `see its output before it ended: ${logs} --previous`,
      };
    case 'CreateContainerConfigError':
      return misconfigured(name, message);
    case 'CreateContainerError':
      return {
        why: `container ${name} cannot be created${said}`,
        next: `correct its volumes, mounts or devices, or see the events of the pod: kubectl -n ${namespace} describe pod ${own}`,
      };
    case 'RunContainerError':
      return {
        why: `container ${name} cannot be started${said}`,
        next: 'correct its command, or use an image that contains it',
      };
    case 'OOMKilled':
      return {
        why: `container ${name} used more memory than its limit`,
        next: 'raise resources.limits.memory, or find the cause of its memory usage',
      };
    case 'ContainerCreating':
    case 'PodInitializing':
      return { why: `container ${name} is being started${said}`, next: 'wait; if it lasts, see the events of the pod' };
    default:
      return { why: `container ${name}: ${reason}${said}`, next: `see its log: ${logs}` };
  }
};

const unready = (pod: ApiObject): Words => {
  const { namespace, name } = pod.metadata;
  const unscheduled = seenConditionOf(pod, 'PodScheduled');
  if (unscheduled?.status === 'False')
    return {
      why: `no node takes it: ${unscheduled.message || unscheduled.reason}`,
      next: 'lower its requests, change selectors, affinities or tolerations, or add nodes',
    };
  const phase = textAt(pod, 'status', 'phase') ?? 'Pending';
  if (phase === 'Failed')
    return {
      why: `it has failed: ${textAt(pod, 'status', 'message') ?? textAt(pod, 'status', 'reason') ?? 'a container ended with an error'}`,
      next: `see its log: kubectl -n ${namespace} logs ${name} --all-containers`,
    };
  if (phase === 'Running')
    return {
      why: 'its containers run, and are not ready: a readiness probe does not succeed yet, or a readiness gate is closed',
      next: `see the result of the probe: kubectl -n ${namespace} describe pod ${name}`,
    };
  return {
    why: `it is ${phase.toLowerCase()}: no node has begun with it`,
    next: 'wait; if it lasts, see the events of the pod',
  };
};

/** The reasons why a pod is not ready. */
export const causesOfPod = (pod: ApiObject): readonly Cause[] => {
  const where = `Pod/${pod.metadata.name}`;
  if (pod.metadata.deletionTimestamp !== undefined)
    return [{ where, why: 'it is being deleted', next: 'wait until its containers have ended' }];
  const stuck = stuckContainers(pod);
  const words = stuck.length > 0 ? stuck.map((container) => wordsOf(pod, container)) : [unready(pod)];
  return words.map((each) => ({ where, ...each }));
};
