/** Annotation of an object in a version that cannot express all of it: what the other version had. The conversion webhook writes it. */
export const KEPT_ANNOTATION = 'cdk8s-reconcile/kept';

/**
 * Label of an object in a version that cannot express all of it, when annotations have no room for the rest: a write in this
 * version loses data. It is a label, because the limit for the size of annotations does not include labels.
 */
export const INCOMPLETE_LABEL = 'cdk8s-reconcile/incomplete';

/**
 * Label of a converted object that a client must not store: data is lost, or rules of the version do not hold. The annotation
 * of the same name describes the problem, if it fits. The conversion webhook writes both; an admission policy of the bundle
 * refuses writes that cause them.
 */
export const CONVERSION_PROBLEM = 'cdk8s-reconcile/conversion-problem';
