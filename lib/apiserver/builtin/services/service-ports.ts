import { invalid, invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { listIn, numberIn, objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { failure } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';

const lowest = 30_000;
const highest = 32_767;

const needsNodePorts = (spec: JsonObject): boolean => {
  const type = textIn(spec, 'type');
  return type === 'NodePort' || (type === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false);
};

const portsOf = (service: ServerObject): readonly number[] =>
  listIn(objectIn(service, 'spec'), 'ports')
    .map((port) => numberIn(port, 'nodePort'))
    .filter((port) => port !== 0);

const takenByOthers = (service: ServerObject, view: ServerView): Set<number> => {
  const { namespace, name } = service.metadata;
  const isOther = ({ metadata }: ServerObject): boolean => metadata.namespace !== namespace || metadata.name !== name;
  return new Set(view.objects(resources.services).filter(isOther).flatMap(portsOf));
};

const refuse = (service: ServerObject, { index, port, why }: Refused): never => {
  const error = invalidValue(`spec.ports[${index}].nodePort`, port, why);
  throw invalid({ group: '', kind: 'Service', name: service.metadata.name }, [error]);
};

interface Refused {
  readonly index: number;
  readonly port: number;
  readonly why: string;
}

const nextFree = (taken: ReadonlySet<number>): number => {
  for (let port = lowest; port <= highest; port++) if (!taken.has(port)) return port;
  const message = 'failed to allocate a nodePort: range is full';
  throw failure({ code: 500, reason: 'InternalError', message: `Internal error occurred: ${message}` });
};

const numbers = (ports: readonly JsonObject[]): Set<number> => new Set(ports.map((port) => numberIn(port, 'nodePort')));

/** Restores node ports that the request omits, by port name, unless another port of the request has this node port. */
const patched = (ports: readonly JsonObject[], old: readonly JsonObject[]): readonly JsonObject[] => {
  const used = numbers(ports).intersection(numbers(old));
  return ports.map((port) => {
    const before = old.find((other) => textIn(other, 'name') === textIn(port, 'name'));
    const number = numberIn(before, 'nodePort');
    return numberIn(port, 'nodePort') !== 0 || number === 0 || used.has(number) ? port : { ...port, nodePort: number };
  });
};

interface Allocation {
  readonly service: ServerObject;
  readonly isNew: boolean;
  readonly others: ReadonlySet<number>;
  /** Node ports of this service, by port. */
  readonly own: Map<number, number>;
}

const checkAsked = (port: JsonObject, index: number, { service, isNew, others, own }: Allocation): void => {
  const asked = numberIn(port, 'nodePort');
  // Several entries may have the same node port if they have the same port and different protocols.
  const isOwn = isNew && own.get(numberIn(port, 'port')) !== asked && [...own.values()].includes(asked);
  if (others.has(asked) || isOwn) refuse(service, { index, port: asked, why: 'provided port is already allocated' });
  if (asked >= lowest && asked <= highest) return;
  const why = `provided port is not in the valid range. The range of valid ports is ${lowest}-${highest}`;
  refuse(service, { index, port: asked, why });
};

/**
 * Returns the ports of a service, with the lowest free node ports where the service needs a node port and has none. Entries with
 * the same port share a node port. The real server chooses at random.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/service/storage/alloc.go (`initNodePorts`)
 * @throws {StatusError} 422 for a node port that is taken or out of range, 500 when no node port is free
 */
export const withNodePorts = (
  service: ServerObject,
  old: ServerObject | undefined,
  view: ServerView,
): readonly JsonObject[] => {
  const spec = objectIn(service, 'spec');
  const type = textIn(spec, 'type');
  if (type !== 'NodePort' && type !== 'LoadBalancer') return listIn(spec, 'ports');
  const ports = patched(listIn(spec, 'ports'), listIn(objectIn(old, 'spec'), 'ports'));
  const others = takenByOthers(service, view);
  const allocation: Allocation = { service, isNew: old === undefined, others, own: new Map() };
  const { own } = allocation;
  return ports.map((port, index) => {
    const [asked, number] = [numberIn(port, 'nodePort'), numberIn(port, 'port')];
    if (asked === 0 && !needsNodePorts(spec)) return port;
    if (asked !== 0) checkAsked(port, index, allocation);
    const wanted = ports.find((other) => numberIn(other, 'port') === number && numberIn(other, 'nodePort') !== 0);
    const known = own.get(number) ?? numberIn(wanted, 'nodePort');
    const free = (): number => nextFree(new Set([...others, ...own.values(), ...portsOf(service)]));
    const nodePort = asked || known || free();
    own.set(number, nodePort);
    return { ...port, nodePort };
  });
};
