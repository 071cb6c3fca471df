import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { clusterScoped, type OperatorNames, operatorLabels } from './names.ts';

/**
 * The CustomResourceDefinition of a kind.
 *
 * @throws {InvalidDefinitionError} when the API server would refuse it
 */
export const addCrd = (scope: Construct, names: OperatorNames, definition: AnyKindDefinition): ApiObject => {
  const crd = compileCrd(definition);
  const metadata = { ...crd.metadata, labels: operatorLabels(names) };
  return clusterScoped(new ApiObject(scope, `crd-${crd.metadata.name}`, { ...crd, metadata }));
};
