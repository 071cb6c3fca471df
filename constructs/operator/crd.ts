import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';
import { clusterScoped, type OperatorNames, operatorLabels } from './names.ts';

/** The CustomResourceDefinition of a kind, with the labels of the operator. */
export const addCrd = (scope: Construct, names: OperatorNames, crd: CustomResourceDefinition): ApiObject => {
  const metadata = { ...crd.metadata, labels: operatorLabels(names) };
  return clusterScoped(new ApiObject(scope, `crd-${crd.metadata.name}`, { ...crd, metadata }));
};
