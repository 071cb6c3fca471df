import { ConfigurationError } from '#lib/errors.ts';
import { isDns1123Label } from '#lib/kind/dns.ts';
import { namesOf } from '#lib/kind/names.ts';
import { resourceName } from '#lib/kind/reference.ts';
import { checkHosts, checkPrometheus, type Refuse } from './check-hosts.ts';
import { ipVersion } from './ip-version.ts';
import type { CheckedProps, OperatorProps } from './props.ts';

const firstTwice = (values: readonly string[]): string | undefined =>
  values.find((value, index) => values.indexOf(value) !== index);

const checkLabels = (refuse: Refuse, labels: readonly (readonly [prop: string, value: string])[]): void => {
  for (const [prop, value] of labels) {
    if (!isDns1123Label(value))
      refuse(`${prop} is ${JSON.stringify(value)}; expected a DNS label of 1 to 63 characters (a-z, 0-9, -)`);
  }
};

const checkNamespaces = (refuse: Refuse, { namespaces, kinds }: CheckedProps): void => {
  if (namespaces === undefined) return;
  if (namespaces.length === 0) refuse('namespaces is empty; name at least one, or leave it out for all of them');
  checkLabels(
    refuse,
    namespaces.map((name) => ['namespaces', name]),
  );
  const twice = firstTwice(namespaces);
  if (twice !== undefined) refuse(`namespaces has "${twice}" twice`);
  for (const { kind, scope, owns } of kinds) {
    const child = scope === 'Cluster' && owns.find((owned) => owned.scope === 'Namespaced');
    if (child)
      refuse(
        `namespaces is set, but ${kind} belongs to no namespace and owns ${resourceName(child)} anywhere; leave namespaces out`,
      );
  }
};

const checkMemory = (refuse: Refuse, { memoryMiB }: CheckedProps): void => {
  if (!Number.isInteger(memoryMiB) || memoryMiB < 128 || memoryMiB > 65_536)
    refuse(`memoryMiB is ${memoryMiB}; expected a whole number from 128 to 65536`);
};

const isCidr = (text: string): boolean => {
  const { address = '', bits = '' } = /^(?<address>[^/]+)\/(?<bits>\d{1,3})$/.exec(text)?.groups ?? {};
  const version = ipVersion(address);
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128);
};

const checkNetwork = (refuse: Refuse, { network }: CheckedProps): void => {
  const { apiServer, apiServerPorts } = network ?? {};
  if (apiServer?.length === 0)
    refuse('network.apiServer is empty; name the addresses of the API server, or leave it out for any');
  const cidr = apiServer?.find((text) => !isCidr(text));
  if (cidr !== undefined)
    refuse(`network.apiServer has ${JSON.stringify(cidr)}; expected an address and a prefix, such as 10.0.0.1/32`);
  if (apiServerPorts?.length === 0) refuse('network.apiServerPorts is empty; leave it out for 443 and 6443');
  const port = apiServerPorts?.find((each) => !Number.isInteger(each) || each < 1 || each > 65_535);
  if (port !== undefined) refuse(`network.apiServerPorts has ${port}; expected a port from 1 to 65535`);
};

const checkKinds = (refuse: Refuse, { kinds }: CheckedProps): void => {
  if (kinds.length === 0) refuse('kinds is empty; name at least one definition, such as podSet');
  const twice = firstTwice(kinds.map((kind) => namesOf(kind).crdName));
  if (twice !== undefined) refuse(`kinds names ${twice} twice; list every kind once`);
};

/**
 * Fills in what was left out.
 *
 * @param path - the construct's, for messages
 * @throws {ConfigurationError} for props that cannot work
 */
export const checkedProps = (path: string, props: OperatorProps): CheckedProps => {
  const { image, name = 'reconcile-operator', namespace = name, memoryMiB = 256 } = props;
  const checked = { ...props, name, namespace, memoryMiB };
  const refuse: Refuse = (what) => {
    throw new ConfigurationError(`Invalid Operator at construct path "${path}": ${what}`);
  };
  checkKinds(refuse, checked);
  if (!/^\S{1,512}$/.test(image))
    refuse(`image is ${JSON.stringify(image)}; expected a reference such as registry/name@sha256:…`);
  checkLabels(refuse, Object.entries({ name, namespace }));
  if (/^(default|kube-.*)$/.test(namespace)) {
    refuse(
      `namespace is "${namespace}", which belongs to the cluster; the bundle makes a namespace of its own, so choose another name`,
    );
  }
  checkNamespaces(refuse, checked);
  checkHosts(refuse, checked);
  checkPrometheus(refuse, checked);
  checkMemory(refuse, checked);
  checkNetwork(refuse, checked);
  return checked;
};
