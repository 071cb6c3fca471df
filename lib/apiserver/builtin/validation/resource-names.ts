import { isQualifiedName } from '#lib/apiserver/machinery/validation/content.ts';

const standardContainer = new Set(['cpu', 'memory', 'ephemeral-storage']);

const counted = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
  'services.loadbalancers',
  'services.nodeports',
]);

const standardQuota = new Set([
  ...standardContainer,
  ...counted,
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
  'requests.storage',
]);

/** Whether a name is huge pages, such as `hugepages-2Mi`, or requests for huge pages in a quota. */
export const isHugePages = (name: string): boolean => /^(?:requests\.)?hugepages-/.test(name);

/** Whether the name of a resource has no domain, or a domain of Kubernetes. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** Whether a name is an extended resource, such as `example.com/gpu`. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`).length === 0;

/** Whether a name without a domain is a resource that containers may request. */
export const isStandardContainerResource = (name: string): boolean =>
  standardContainer.has(name) || name.startsWith('hugepages-');

/** Whether a name without a domain is a resource that quotas may limit. */
export const isStandardQuotaResource = (name: string): boolean => standardQuota.has(name) || isHugePages(name);

/** Whether a name without a domain is a known resource. */
export const isStandardResource = (name: string): boolean => name === 'storage' || isStandardQuotaResource(name);

/**
 * Whether the quantity of a resource must be a whole number.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/helper/helpers.go
 */
export const isCountedResource = (name: string): boolean => counted.has(name) || isExtendedResource(name);
