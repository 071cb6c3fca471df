import { namesOf } from '#lib/kind/names.ts';
import { rootSchema } from '#lib/kind/schema/root-schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';

/**
 * The CRD of a shape with its schemas unchanged and no rule applied, as the API server would get it without the checks of the
 * library.
 */
export const uncheckedCrd = (shape: KindShape) => {
  const { crdName, ...names } = namesOf(shape);
  const { spec: specReplicasPath, status: statusReplicasPath, selector: labelSelectorPath } = shape.scale ?? {};
  const version = {
    name: shape.version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: rootSchema(shape) },
    subresources: {
      status: {},
      ...(shape.scale && { scale: { specReplicasPath, statusReplicasPath, labelSelectorPath } }),
    },
    additionalPrinterColumns: shape.columns,
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName },
    spec: { group: shape.group, names, scope: shape.scope ?? 'Namespaced', versions: [version] },
  };
};
