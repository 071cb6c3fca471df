import { __kind__ } from './__file__.ts';

/** The kinds of the operator: for its process and for its install bundle. `cdk8s-reconcile add kind` adds a line here. */
export const kinds = [
  __kind__,
];
