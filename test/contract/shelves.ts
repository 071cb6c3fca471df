import { ApiError } from '#lib/errors.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';

/** The kind of the suite; the server must serve it. Its spec and its status keep every field. */
export const shelves = {
  apiVersion: 'contract.example.com/v1',
  kind: 'Shelf',
  plural: 'shelves',
  scope: 'Namespaced',
} as const satisfies ApiResource;

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The CRD of {@link shelves}, for a server to install. */
export const shelvesCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shelves.contract.example.com' },
  spec: {
    group: 'contract.example.com',
    names: { kind: shelves.kind, plural: shelves.plural, singular: 'shelf' },
    scope: shelves.scope,
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
      },
    ],
  },
};

/** The field manager of the suite's writes. */
export const fieldManager = 'contract';

/** A shelf of size 1. */
export const shelf = (name: string, more: object = {}) => ({
  apiVersion: shelves.apiVersion,
  kind: shelves.kind,
  metadata: { name, ...more },
  spec: { size: 1 },
});

/** The reason of a rejection, as far as callers decide by it. */
export const refusal = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
  } catch (error) {
    return error instanceof ApiError ? `${error.httpStatus} ${error.code}` : String(error);
  }
  return 'no refusal';
};
