import type { Issue } from '#lib/errors.ts';
import { isDns1123Label, isDnsLabel, LABEL_LENGTH } from '#lib/kind/dns.ts';
import { resourceName } from '#lib/kind/reference.ts';
import { needsWebhook } from '#lib/kind/versions/webhook.ts';
import { checkHosts, checkPrometheus, type Refuse } from './check-hosts.ts';
import { conversionService } from './conversion.ts';
import { ipVersion } from './ip-version.ts';
import { type CheckedProps, LOG_LEVELS, type OperatorProps } from './props.ts';

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
  if (namespaces.length === 0)
    refuse({ ...at, message: 'namespaces is empty', fix: 'name at least one, or leave it out for all of them' });
  checkLabels(
    refuse,
    namespaces.map((name) => ['namespaces', name]),
  );
  const twice = firstTwice(namespaces);
  if (twice !== undefined) refuse({ ...at, message: `namespaces has "${twice}" twice`, fix: 'name it once' });
  for (const { kind, scope, owns } of kinds) {
    const child = scope === 'Cluster' && owns.find((owned) => owned.scope === 'Namespaced');
    if (!child) continue;
    const message = `namespaces is set, but ${kind} belongs to no namespace and owns ${resourceName(child)} anywhere`;
    refuse({ ...at, message, fix: 'leave namespaces out' });
  }
};

const checkMemory = (refuse: Refuse, { memoryMiB }: CheckedProps): void => {
  if (Number.isInteger(memoryMiB) && memoryMiB >= 128 && memoryMiB <= 65_536) return;
  const fix = 'expected a whole number from 128 to 65536';
  refuse({ rule: 'memory', path: 'memoryMiB', message: `memoryMiB is ${memoryMiB}`, fix });
};

const checkLogLevel = (refuse: Refuse, { logLevel = 'info' }: CheckedProps): void => {
  if (LOG_LEVELS.includes(logLevel)) return;
  const fix = `expected one of ${LOG_LEVELS.join(', ')}`;
  refuse({ rule: 'log-level', path: 'logLevel', message: `logLevel is ${JSON.stringify(logLevel)}`, fix });
};

const isCidr = (text: string): boolean => {
  const { address = '', bits = '' } = /^(?<address>[^/]+)\/(?<bits>\d{1,3})$/.exec(text)?.groups ?? {};
  const version = ipVersion(address);
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128);
};

const checkAddresses = (refuse: Refuse, { network: { apiServer } = {} }: CheckedProps): void => {
  const at = { rule: 'network', path: 'network.apiServer' };
  if (apiServer?.length === 0) {
    const fix = 'name the addresses of the API server, or leave it out for any';
    refuse({ ...at, message: 'network.apiServer is empty', fix });
  }
  for (const cidr of apiServer?.filter((text) => !isCidr(text)) ?? []) {
    const message = `network.apiServer has ${JSON.stringify(cidr)}`;
    refuse({ ...at, message, fix: 'expected an address and a prefix, such as 10.0.0.1/32' });
  }
};

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;

const checkPorts = (refuse: Refuse, { network: { apiServerPorts } = {} }: CheckedProps): void => {
  const at = { rule: 'network', path: 'network.apiServerPorts' };
  if (apiServerPorts?.length === 0)
    refuse({ ...at, message: 'network.apiServerPorts is empty', fix: 'leave it out for 443 and 6443' });
  for (const port of apiServerPorts?.filter((each) => !isPort(each)) ?? [])
    refuse({ ...at, message: `network.apiServerPorts has ${port}`, fix: 'expected a port from 1 to 65535' });
};

const checkImage = (refuse: Refuse, image: unknown): void => {
  if (typeof image === 'string' && /^\S{1,512}$/.test(image)) return;
  const message = image === undefined ? 'image is missing' : `image is ${JSON.stringify(image)}`;
  refuse({ rule: 'image', path: 'image', message, fix: 'expected a reference such as registry/name@sha256:…' });
};

/** @see https://kubernetes.io/docs/concepts/services-networking/service/ (names of Services are labels as of RFC 1035) */
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

const checkOwnNamespace = (refuse: Refuse, { name, namespace }: CheckedProps): void => {
  checkLabels(refuse, Object.entries({ name, namespace }));
  if (!/^(default|kube-.*)$/.test(namespace)) return;
  const message = `namespace is "${namespace}", which belongs to the cluster`;
  const fix = 'the bundle makes a namespace of its own, so choose another name';
  refuse({ rule: 'namespace', path: 'namespace', message, fix });
};

/** Props with what was left out, and all that is wrong with them. */
export interface PropsReport {
  readonly props: CheckedProps;
  readonly issues: readonly Issue[];
}

/**
 * Fills in what was left out, and looks for what cannot work.
 *
 * @param props - as the user wrote them
 */
export const checkedProps = (props: OperatorProps): PropsReport => {
  const { image, name = 'reconcile-operator', namespace = name, memoryMiB = 256 } = props;
  const checked = { ...props, name, namespace, memoryMiB };
  const issues: Issue[] = [];
  const refuse: Refuse = (issue) => void issues.push(issue);
  if (checked.kinds.length === 0)
    refuse({
      rule: 'kinds',
      path: 'kinds',
      message: 'kinds is empty',
      fix: 'name at least one definition, such as podSet',
    });
  checkImage(refuse, image);
  checkOwnNamespace(refuse, checked);
  checkServices(refuse, checked);
  checkNamespaces(refuse, checked);
  checkHosts(refuse, checked);
  checkPrometheus(refuse, checked);
  checkMemory(refuse, checked);
  checkLogLevel(refuse, checked);
  checkAddresses(refuse, checked);
  checkPorts(refuse, checked);
  return { props: checked, issues };
};
