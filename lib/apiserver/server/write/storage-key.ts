import type { Call } from '../target.ts';

/** The prefixes of keys in etcd, for resources with another prefix than their plural. */
const PREFIXES: Readonly<Record<string, string>> = {
  services: 'services/specs',
  endpoints: 'services/endpoints',
  'customresourcedefinitions.apiextensions.k8s.io': 'apiextensions.k8s.io/customresourcedefinitions',
};

/** Returns the key of an object in etcd, which some messages contain. In a dry run, the key has no `/registry`. */
export const storageKey = ({ target, options }: Call): string => {
  const { kind, collection, namespace, name } = target;
  const plain = kind.isCustom === true ? `${kind.group}/${kind.plural}` : kind.plural;
  const prefix = PREFIXES[collection.resource] ?? plain;
  return [options.dryRun === true ? '' : '/registry', prefix, ...(namespace === '' ? [] : [namespace]), name].join('/');
};
