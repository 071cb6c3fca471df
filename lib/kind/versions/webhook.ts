import type { Issue } from '#lib/errors.ts';
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

/** Functions between versions are called by a webhook, and somebody says where it is served; `Operator` does. */
export const webhookServed = { id: 'version-webhook' } as const;

/** Whether somebody serves the functions of a kind. */
export const webhookIssues = (shape: KindShape, conversion: ConversionService | undefined): Issue[] => {
  if (!needsWebhook(shape) || conversion) return [];
  const message = 'have functions, which a webhook has to call, and nobody said where it is served';
  const fix = 'install the kind with Operator, or pass conversion';
  return [{ path: 'versions', message, rule: webhookServed.id, fix }];
};
