import { guardedKinds } from '#constructs/operator/admission/pod-guard.ts';
import { conversionService } from '#constructs/operator/conversion.ts';
import { checkMonitoring } from '#constructs/operator/monitoring/check.ts';
import { MEMORY_MIB, MEMORY_WITH_CONVERSIONS_MIB } from '#constructs/operator/process/memory.ts';
import type { CheckedProps, OperatorProps } from '#constructs/operator/props.ts';
import type { Issue } from '#lib/errors.ts';
import { isDns1123Label, isDnsLabel, LABEL_LENGTH } from '#lib/kind/dns.ts';
import { resourceName } from '#lib/kind/handles/reference.ts';
import { needsWebhook } from '#lib/kind/versions/webhook.ts';
import { checkGrants } from './grants.ts';
import { checkHosts, checkPrometheus, checkTrust, type Refuse } from './hosts.ts';
import { checkNetwork } from './network.ts';
import { checkProcess } from './process.ts';

const firstTwice = (values: readonly string[]): string | undefined =>
  values.find((value, index) => values.indexOf(value) !== index);

const LABEL = 'expected a DNS label of 1 to 63 characters (a-z, 0-9, -)';

const checkLabels = (refuse: Refuse, labels: readonly (readonly [prop: string, value: string])[]): void => {
  for (const [path, value] of labels) {
    if (!isDns1123Label(value))
      refuse({ rule: 'dns-label', path, message: `${path} is ${JSON.stringify(value)}`, fix: LABEL });
  }
};

const checkNamespaces = (refuse: Refuse, { namespaces, kinds }: CheckedProps): void => {
  if (namespaces === undefined) return;
  const at = { rule: 'namespaces', path: 'namespaces' };
  const fix = 'expected a list of names';
  if (!Array.isArray(namespaces)) return refuse({ ...at, message: `namespaces is ${JSON.stringify(namespaces)}`, fix });
  if (namespaces.length === 0)
    refuse({ ...at, message: 'namespaces is empty', fix: 'name at least one, or leave it out for all of them' });
  for (const name of namespaces) checkLabels(refuse, [['namespaces', name]]);
  const twice = firstTwice(namespaces);
  if (twice !== undefined) refuse({ ...at, message: `namespaces has "${twice}" twice`, fix: 'name it once' });
  for (const { kind, scope, owns } of kinds) {
    const child = scope === 'Cluster' && owns.find((owned) => owned.scope === 'Namespaced');
    if (!child) continue;
    const message = `namespaces is set, but ${kind} belongs to no namespace and owns ${resourceName(child)} anywhere`;
    refuse({ ...at, message, fix: 'leave namespaces out' });
  }
};

const checkPodGuard = (refuse: Refuse, { podGuard, kinds }: CheckedProps): void => {
  if (podGuard !== true || guardedKinds(kinds).running.length > 0) return;
  const names = kinds.map(({ kind }) => kind).join(', ');
  const message = `podGuard is true, and guards nothing: no resource of ${names} becomes a pod, as far as this bundle defines the kinds`;
  const fix = 'leave podGuard out, or add the definition of the kind that runs pods to kinds';
  refuse({ rule: 'pod-guard', path: 'podGuard', message, fix });
};

/**
 * The format of an image reference: host, path in lower case, tag and digest. Without this check, a malformed reference would fail
 * only on the node: `InvalidImageName`. A placeholder in braces or parentheses, such as `${IMAGE}`, may have any letters.
 *
 * @see https://github.com/distribution/reference/blob/main/reference.go
 */
const IMAGE =
  /^(?=\S{1,512}$)(?:[^/@]+\/)?(?:[^@A-Z:{}()]|[{(]+[^{}()@]*[)}]+)+(?::[^@/:]+)?(?:@sha256:[0-9a-f]{64}|@sha512:[0-9a-f]{128})?$/;

const checkImage = (refuse: Refuse, image: unknown): void => {
  if (typeof image === 'string' && IMAGE.test(image)) return;
  const message = image === undefined ? 'image is missing' : `image is ${JSON.stringify(image)}`;
  const fix = 'expected a reference such as registry/name:tag@sha256:<64 hexadecimal digits>';
  refuse({ rule: 'image', path: 'image', message, fix });
};

/** @see https://kubernetes.io/docs/concepts/services-networking/service/ (the name of a Service is a label of RFC 1035) */
const checkServices = (refuse: Refuse, { name, namespace, kinds }: CheckedProps): void => {
  if (!isDns1123Label(name)) return;
  const webhook = kinds.some((kind) => needsWebhook(kind)) ? [conversionService({ name, namespace }).name] : [];
  const wrong = [...webhook, `${name}-metrics`].find((service) => !isDnsLabel(service));
  if (wrong === undefined) return;
  const message = `name is "${name}", and "${wrong}" cannot be the name of a Service`;
  const length = LABEL_LENGTH - (wrong.length - name.length);
  const fix = `begin it with a letter, and use at most ${length} characters`;
  refuse({ rule: 'dns-label', path: 'name', message, fix });
};

/** The names of the ClusterRoles that each API server has for users. The bundle has a ClusterRole with the name of the operator. */
const USER_ROLES = new Set(['admin', 'cluster-admin', 'edit', 'view']);

const checkOwnNamespace = (refuse: Refuse, { name, namespace }: CheckedProps): void => {
  checkLabels(refuse, Object.entries({ name, namespace }));
  if (USER_ROLES.has(name)) {
    const message = `name is "${name}", and the ClusterRole "${name}" belongs to the cluster`;
    refuse({ rule: 'name', path: 'name', message, fix: 'choose another name, such as that of your product' });
  }
  if (!/^(default|kube-.*)$/.test(namespace)) return;
  const message = `namespace is "${namespace}", which belongs to the cluster`;
  const fix = 'the bundle makes a namespace of its own, so choose another name';
  refuse({ rule: 'namespace', path: 'namespace', message, fix });
};

/** Conversion functions run in a separate thread, which needs additional memory. */
const defaultMemoryMiB = ({ kinds }: OperatorProps): number =>
  kinds.some((kind) => needsWebhook(kind)) ? MEMORY_WITH_CONVERSIONS_MIB : MEMORY_MIB;

/** The result of {@link checkedProps}. */
export interface PropsReport {
  readonly props: CheckedProps;
  readonly issues: readonly Issue[];
}

/**
 * Adds the defaults of `name`, `namespace` and `memoryMiB` to the props, and finds values that cannot work.
 *
 * @param props - the props as the user wrote them
 */
export const checkedProps = (props: OperatorProps): PropsReport => {
  const { image, name = 'reconcile-operator', namespace = name, memoryMiB = defaultMemoryMiB(props) } = props;
  const checked = { ...props, name, namespace, memoryMiB };
  const issues: Issue[] = [];
  const refuse: Refuse = (issue) => void issues.push(issue);
  const fix = 'name at least one definition, such as podSet';
  if (checked.kinds.length === 0) refuse({ rule: 'kinds', path: 'kinds', message: 'kinds is empty', fix });
  checkImage(refuse, image);
  checkOwnNamespace(refuse, checked);
  checkServices(refuse, checked);
  checkNamespaces(refuse, checked);
  checkHosts(refuse, checked);
  checkPrometheus(refuse, checked);
  checkTrust(refuse, checked);
  checkMonitoring(refuse, checked);
  checkProcess(refuse, checked);
  checkNetwork(refuse, checked);
  checkPodGuard(refuse, checked);
  checkGrants(refuse, checked);
  return { props: checked, issues };
};
