import type { Spec } from './types.ts';

/** What the API of ImmortalContainer is called, unless it is given another home; its annotations are called so everywhere. */
export const identity = {
  group: 'immortalcontainer.flugel.it',
  version: 'v1alpha1',
  kind: 'ImmortalContainer',
} as const;

const SUFFIX = '-immortalpod';

/** The longest name of an ImmortalContainer: its pod's name, `<name>-immortalpod`, has to stay a DNS label of 63. */
export const IMMORTAL_NAME_LENGTH = 63 - SUFFIX.length;

/** The name of the one pod, always the same: while it is taken, the API server lets no second one come into being. */
export const podNameOf = (name: string): string => `${name}${SUFFIX}`;

/** The container that runs `spec.image`. */
export const MAIN_CONTAINER = 'acontainer';

/** On a pod: which start it is, counted from 1. */
export const START_ORDINAL = `${identity.group}/start-ordinal`;

/** On a pod: a hash of the template that it was made of, `-`, and a hash of its image. */
export const REVISION = `${identity.group}/revision`;

/** Annotation of a foreign pod: `"true"` allows the resource with this pod name to adopt it. */
export const ADOPT = `${identity.group}/adopt`;

/** Taint of a node that is confirmed to be off. */
export const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** The container that the resource is about: `acontainer`, or the first if none is called so. */
export const mainContainerOf = ({ template }: Pick<Spec, 'template'>): string => {
  const names = template?.spec?.containers?.map(({ name }) => name) ?? [];
  return names.includes(MAIN_CONTAINER) ? MAIN_CONTAINER : (names[0] ?? MAIN_CONTAINER);
};
