/**
 * Annotation of an object in a version that cannot express all data of the object. The annotation holds the data that only
 * another version can express. The conversion webhook writes the annotation.
 */
export const KEPT_ANNOTATION = 'cdk8s-reconcile/kept';

/**
 * Label of an object in a version that cannot express all data of the object. The label is set when the annotations have no room
 * for the rest of the data. A write in this version loses data. The mark is a label, because the size limit of annotations does
 * not include labels.
 */
export const INCOMPLETE_LABEL = 'cdk8s-reconcile/incomplete';

/**
 * Label of a converted object that lost data or violates a rule of the version, so that no client must store it. The annotation
 * with the same name describes the problem, if the annotation has room for the description. The conversion webhook writes both.
 * An admission policy of the bundle refuses a write if its conversion sets the label.
 */
export const CONVERSION_PROBLEM = 'cdk8s-reconcile/conversion-problem';
