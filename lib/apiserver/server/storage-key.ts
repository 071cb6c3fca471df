import type { Call } from './target.ts';

/** Resources whose keys do not follow the rule. */
const PREFIXES: Readonly<Record<string, string>> = {
  services: 'services/specs',
  endpoints: 'services/endpoints',
  'customresourcedefinitions.apiextensions.k8s.io': 'apiextensions.k8s.io/customresourcedefinitions',
};

/** The key of an object in etcd; it appears in messages. That of a dry run lacks the beginning. */
export const storageKey = ({ target, options }: Call): string => {
  const { kind, drawer, namespace, name } = target;
  const plain = kind.isCustom === true ? `${kind.group}/${kind.plural}` : kind.plural;
  const prefix = PREFIXES[drawer.resource] ?? plain;
  return [options.dryRun === true ? '' : '/registry', prefix, ...(namespace === '' ? [] : [namespace]), name].join('/');
};
