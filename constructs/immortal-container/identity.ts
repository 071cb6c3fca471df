import type { Spec } from './types.ts';

/**
 * The default group, version and kind of ImmortalContainer. Annotations have this group as their prefix, even if the kind is
 * defined in another group.
 */
export const identity = {
  group: 'immortalcontainer.flugel.it',
  version: 'v1alpha1',
  kind: 'ImmortalContainer',
} as const;

const SUFFIX = '-immortalpod';

/**
 * Maximum length of the name of an ImmortalContainer. The name of the pod, `<name>-immortalpod`, must be a DNS label of at most
 * 63 characters.
 */
export const IMMORTAL_NAME_LENGTH = 63 - SUFFIX.length;

/** The name of the pod. The name never changes, so the API server refuses a second pod while the first one exists. */
export const podNameOf = (name: string): string => `${name}${SUFFIX}`;

/** The preferred name of the main container, which runs `spec.image`. */
export const MAIN_CONTAINER = 'acontainer';

/** The annotation of a pod with the number of its start, counted from 1. */
export const START_ORDINAL = `${identity.group}/start-ordinal`;

/** The annotation of a pod with its revision, see `revisionOf`. */
export const REVISION = `${identity.group}/revision`;

/** The annotation that allows the adoption of a pod without a controller, if the value is `true`. */
export const ADOPT = `${identity.group}/adopt`;

/** The key of the taint of a node that is confirmed to be off. */
export const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** Returns the name of the main container: `acontainer`, or the first container of the template if none has this name. */
export const mainContainerOf = ({ template }: Pick<Spec, 'template'>): string => {
  const names = template?.spec?.containers?.map(({ name }) => name) ?? [];
  return names.includes(MAIN_CONTAINER) ? MAIN_CONTAINER : (names[0] ?? MAIN_CONTAINER);
};
