export { CustomResource, type CustomResourceClass, type CustomResourceProps } from './custom-resource.ts';
export { Operator, type OperatorProps } from './operator/operator.ts';
export { PodSet } from './pod-set/index.ts';
export { podSet } from './pod-set/kind.ts';
