import { shortHash } from '#lib/desired/canonical/canonical.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import { REVISION } from './identity.ts';
import type { Spec } from './types.ts';

const TEMPLATE_LENGTH = 8;
const IMAGE_LENGTH = 5;

/**
 * The revision of a pod: `<hash of the restart policy and the template>-<hash of the image>`. The hashes cover only fields of the
 * spec. A new version of the operator therefore does not replace pods.
 */
export const revisionOf = ({ image, restartPolicy, template }: Spec): string =>
  `${shortHash({ restartPolicy, template }, TEMPLATE_LENGTH)}-${shortHash(image, IMAGE_LENGTH)}`;

/** The revision in the annotation of a pod; `undefined` for a pod without the annotation. */
export const markedRevision = ({ metadata }: ObservedPod): string | undefined => metadata?.annotations?.[REVISION];

const templatePart = (revision: string): string => revision.slice(0, revision.indexOf('-'));

/** Whether two revisions differ only in the image. */
export const differInImageOnly = (a: string, b: string): boolean => a !== b && templatePart(a) === templatePart(b);
