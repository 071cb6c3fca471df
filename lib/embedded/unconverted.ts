import { quotaAdmission } from '#lib/apiserver/builtin/quota/quota-admission.ts';
import { groupVersionOf, resourceKey, resources } from '#lib/apiserver/machinery/resources.ts';
import type { AdmissionRequest, ServedKind, ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { forbidden } from '#lib/apiserver/machinery/status.ts';

/**
 * Annotation of a CRD whose versions are converted by functions that the embedded cluster cannot call. The value has no meaning.
 */
export const UNCONVERTED_ANNOTATION = 'cdk8s-reconcile/unconverted';

const isUnconverted = (kind: ServedKind, view: ServerView): boolean =>
  view
    .objects(resources.definitions)
    .some(
      ({ metadata: { name, annotations } }) =>
        name === resourceKey(kind) && annotations?.[UNCONVERTED_ANNOTATION] !== undefined,
    );

/**
 * The admission of a custom resource: quotas, and the version. A write in another version than the stored one is refused if only
 * functions can convert it, because the write would drop fields.
 */
export const customAdmission = (kind: ServedKind): ((request: AdmissionRequest, view: ServerView) => void) => {
  const { group, plural, storageVersion } = kind;
  const checkQuotas = quotaAdmission(kind);
  return (request, view) => {
    const { apiVersion, metadata } = request.object;
    const { version } = groupVersionOf(apiVersion);
    if (request.operation !== 'delete' && version !== storageVersion && isUnconverted(kind, view))
      throw forbidden(
        { group, kind: plural, name: metadata.name },
        `this cluster calls no conversion functions, so a write as ${version} would drop fields: write ${group}/${storageVersion}`,
      );
    checkQuotas(request, view);
  };
};
