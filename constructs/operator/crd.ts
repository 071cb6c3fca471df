import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { clusterScoped, type OperatorNames, operatorLabels } from './names.ts';

/** Adds the CustomResourceDefinition of a kind, with the labels of the operator and additional annotations. */
export const addCrd = (
  scope: Construct,
  names: OperatorNames,
  { crd, annotations: more }: { readonly crd: CustomResourceDefinition; readonly annotations: Record<string, string> },
): ApiObject => {
  const annotations = { ...crd.metadata.annotations, ...more };
  const hasSome = Object.keys(annotations).length > 0;
  const metadata = { ...crd.metadata, ...(hasSome && { annotations }), labels: operatorLabels(names) };
  return clusterScoped(new ApiObject(scope, `crd-${crd.metadata.name}`, { ...crd, metadata }));
};
