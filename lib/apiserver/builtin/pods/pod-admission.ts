import { listIn, numberIn, objectIn, textIn, withDefaults } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { AdmissionRequest, ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { forbidden, type StatusError } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';
import { withLimitRanges } from '../quota/limit-admission.ts';
import { defaultPriorityClass, PREEMPTS, priorityClassNamed } from './priority-class.ts';
import { withTokenMounted } from './service-account-token.ts';

const refusal = ({ metadata }: ServerObject, why: string): StatusError =>
  forbidden({ group: '', kind: 'pods', name: metadata.name ?? '' }, why);

const serviceAccounts = { group: '', plural: 'serviceaccounts' };

/**
 * Sets the service account of a pod, its image pull secrets, and the volume with its token. The default account is `default`.
 * Any other account must exist.
 *
 * @see k8s.io/kubernetes v1.36.4 plugin/pkg/admission/serviceaccount/admission.go (`Admit`)
 */
const withServiceAccount = (spec: JsonObject, pod: ServerObject, view: ServerView): JsonObject => {
  const name = textIn(spec, 'serviceAccountName') || 'default';
  const { namespace = '' } = pod.metadata;
  const account = view.objects(serviceAccounts, namespace).find(({ metadata }) => metadata.name === name);
  if (name !== 'default' && account === undefined) {
    throw refusal(pod, `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`);
  }
  const secrets = listIn(spec, 'imagePullSecrets').length > 0 ? [] : listIn(account, 'imagePullSecrets');
  const pulling = secrets.length === 0 ? spec : { ...spec, imagePullSecrets: secrets };
  const named = { ...pulling, serviceAccountName: name, serviceAccount: name };
  const isMounted = spec['automountServiceAccountToken'] ?? account?.['automountServiceAccountToken'] ?? true;
  const podName = `${namespace}/${pod.metadata.name ?? pod.metadata.generateName ?? ''}`;
  return isMounted === false ? named : withTokenMounted(named, podName);
};

/** The default tolerations. Pods share these objects. */
const timedTolerations = ['not-ready', 'unreachable'].map((condition) => ({
  key: `node.kubernetes.io/${condition}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

const covers = (toleration: JsonObject, key: string): boolean =>
  ['', key].includes(textIn(toleration, 'key')) && ['', 'NoExecute'].includes(textIn(toleration, 'effect'));

/**
 * Adds the default tolerations of nodes that are not ready or unreachable.
 *
 * @see k8s.io/kubernetes v1.36.4 plugin/pkg/admission/defaulttolerationseconds/admission.go
 */
const withTolerations = (spec: JsonObject): JsonObject => {
  const tolerations = listIn(spec, 'tolerations');
  const added = timedTolerations.filter(({ key }) => !tolerations.some((toleration) => covers(toleration, key)));
  return added.length === 0 ? spec : { ...spec, tolerations: [...tolerations, ...added] };
};

interface PodPriority {
  readonly className: string;
  readonly priority: number;
  readonly preemptionPolicy: string;
}

/** The priority of a pod by the class with this name; with an empty name, by the default class. */
const priorityFor = (className: string, pod: ServerObject, view: ServerView): PodPriority => {
  const found = className === '' ? defaultPriorityClass(view) : priorityClassNamed(className, view);
  if (found === undefined && className !== '') throw refusal(pod, `no PriorityClass with name ${className} was found`);
  return {
    className: textIn(objectIn(found, 'metadata'), 'name'),
    priority: numberIn(found, 'value'),
    preemptionPolicy: textIn(found, 'preemptionPolicy') || PREEMPTS,
  };
};

/**
 * Sets the priority and the preemption policy of a pod from its priority class.
 *
 * @see k8s.io/kubernetes v1.36.4 plugin/pkg/admission/priority/admission.go
 */
const withPriority = (spec: JsonObject, pod: ServerObject, view: ServerView): JsonObject => {
  const { className, priority, preemptionPolicy } = priorityFor(textIn(spec, 'priorityClassName'), pod, view);
  const given = numberIn(spec, 'priority');
  const computed = 'admission controller computed';
  if (spec['priority'] !== undefined && given !== priority) {
    const value = `the integer value of priority (${given}) must not be provided in pod spec`;
    throw refusal(pod, `${value}; priority ${computed} ${priority} from the given PriorityClass name`);
  }
  const policy = textIn(spec, 'preemptionPolicy');
  if (policy !== '' && policy !== preemptionPolicy) {
    const value = `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec`;
    throw refusal(pod, `${value}; priority ${computed} ${preemptionPolicy} from the given PriorityClass name`);
  }
  return { ...spec, ...(className !== '' && { priorityClassName: className }), priority, preemptionPolicy };
};

/**
 * Applies four default admission plug-ins to a new pod: LimitRanger, ServiceAccount, Priority and DefaultTolerationSeconds, in
 * this order. Only Priority and DefaultTolerationSeconds apply to an update. Other default plug-ins are not applied, such as
 * RuntimeClass, because the virtual cluster serves no RuntimeClasses.
 *
 * @throws {StatusError} 403 when a plug-in refuses the pod
 */
export const mutatePod = (
  { operation, subresource, object, old }: AdmissionRequest,
  view: ServerView,
): ServerObject => {
  if (subresource !== '' || operation === 'delete') return object;
  const spec = objectIn(object, 'spec');
  if (operation === 'update') {
    const { priority, preemptionPolicy } = objectIn(old, 'spec');
    const changed = withTolerations(withDefaults(spec, { priority, preemptionPolicy }));
    return changed === spec ? object : { ...object, spec: changed };
  }
  const limited = withLimitRanges(object, view);
  const named = withServiceAccount(objectIn(limited, 'spec'), object, view);
  return { ...limited, spec: withTolerations(withPriority(named, object, view)) };
};
