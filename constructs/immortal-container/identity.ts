/** What the API of ImmortalContainer is called, unless it is given another home; its annotations are called so everywhere. */
export const identity = {
  group: 'immortalcontainer.flugel.it',
  version: 'v1alpha1',
  kind: 'ImmortalContainer',
} as const;

const SUFFIX = '-immortalpod';

/** The longest name of an ImmortalContainer: its pod's name, `<name>-immortalpod`, has to stay a DNS label of 63. */
export const NAME_LENGTH = 63 - SUFFIX.length;

/** The name of the one pod, always the same: while it is taken, the API server lets no second one come into being. */
export const podNameOf = (name: string): string => `${name}${SUFFIX}`;

/** The container that runs `spec.image`. */
export const MAIN_CONTAINER = 'acontainer';

/** On a pod: which start it is, counted from 1. */
export const START_ORDINAL = `${identity.group}/start-ordinal`;

/** On a pod: a hash of the template that it was made of, `-`, and a hash of its image. */
export const REVISION = `${identity.group}/revision`;

/** On a pod of somebody else: `"true"` gives it away to the resource whose pod's name it has. */
export const ADOPT = `${identity.group}/adopt`;

/** A node with this taint is off for certain: whoever set it has made sure. */
export const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
