import { listIn, objectIn } from '#lib/apiserver/machinery/members.ts';
import type { JsonObject } from '#lib/json.ts';
import { storedQuantity } from '../codec/quantity.ts';

const computed = ['cpu', 'memory'] as const;

const amounts = (container: JsonObject, name: 'requests' | 'limits'): JsonObject =>
  objectIn(objectIn(container, 'resources'), name);

const isPositive = (list: JsonObject, resource: string): boolean =>
  list[resource] !== undefined && storedQuantity(list[resource]).nano > 0n;

const total = (containers: readonly JsonObject[], name: 'requests' | 'limits', resource: string): bigint =>
  containers.reduce((sum, container) => {
    const list = amounts(container, name);
    return isPositive(list, resource) ? sum + storedQuantity(list[resource]).nano : sum;
  }, 0n);

/**
 * Returns the QoS class of a pod, from the requests and limits of its containers.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/helper/qos/qos.go (`ComputePodQOS`)
 */
export const qosClass = (spec: JsonObject): 'BestEffort' | 'Burstable' | 'Guaranteed' => {
  const containers = [...listIn(spec, 'containers'), ...listIn(spec, 'initContainers')];
  const totals = computed.map((resource) => ({
    requests: total(containers, 'requests', resource),
    limits: total(containers, 'limits', resource),
  }));
  if (totals.every(({ requests, limits }) => requests === 0n && limits === 0n)) return 'BestEffort';
  const areLimited = containers.every((container) =>
    computed.every((resource) => isPositive(amounts(container, 'limits'), resource)),
  );
  return areLimited && totals.every(({ requests, limits }) => requests === limits) ? 'Guaranteed' : 'Burstable';
};
