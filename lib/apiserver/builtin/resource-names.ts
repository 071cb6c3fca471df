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

/** Whether a resource counts huge pages. */
export const isHugePages = (name: string): boolean => /^(?:requests\.)?hugepages-/.test(name);

/** Names in the system's own domain, or without any. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** Resources of others, such as `example.com/gpu`. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`).length === 0;

/** What a container may ask for. */
export const isStandardContainerResource = (name: string): boolean => standardContainer.has(name);

/** What a quota may limit. */
export const isStandardQuotaResource = (name: string): boolean => standardQuota.has(name) || isHugePages(name);

/** What the system knows under a name without a domain. */
export const isStandardResource = (name: string): boolean => name === 'storage' || isStandardQuotaResource(name);

/**
 * Amounts that must be whole.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/helper/helpers.go
 */
export const isCountedResource = (name: string): boolean => counted.has(name) || isExtendedResource(name);
