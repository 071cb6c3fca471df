import type { KindShape } from '../shape.ts';

/** Where the API server finds the webhook that converts objects. */
export interface ConversionService {
  readonly name: string;
  readonly namespace: string;
  /** TCP. */
  readonly port: number;
}

/** The part of a CustomResourceDefinition that says who converts. */
export interface CrdConversion {
  readonly strategy: 'Webhook';
  readonly webhook: {
    readonly clientConfig: { readonly service: ConversionService & { readonly path: string } };
    readonly conversionReviewVersions: readonly ['v1'];
  };
}

/** Where the operator answers. */
export const CONVERSION_PATH = '/convert';

/** Whether a step of the kind has functions, so that somebody must call them. */
export const needsWebhook = ({ versions = [] }: Pick<KindShape, 'versions'>): boolean =>
  versions.some((step) => step.conversion !== undefined);

/** What a CustomResourceDefinition says of its webhook. The certificate of its authority is put there at run time. */
export const webhookAt = ({ name, namespace, port }: ConversionService): CrdConversion => ({
  strategy: 'Webhook',
  webhook: {
    clientConfig: { service: { name, namespace, path: CONVERSION_PATH, port } },
    conversionReviewVersions: ['v1'],
  },
});
