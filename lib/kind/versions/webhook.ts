import type { Issue } from '#lib/errors.ts';
import type { KindShape } from '../shape.ts';

/** The Service of the webhook that converts objects. */
export interface ConversionService {
  readonly name: string;
  readonly namespace: string;
  /** The TCP port. */
  readonly port: number;
}

/** The conversion settings of a CustomResourceDefinition. */
export interface CrdConversion {
  readonly strategy: 'Webhook';
  readonly webhook: {
    readonly clientConfig: { readonly service: ConversionService & { readonly path: string } };
    readonly conversionReviewVersions: readonly ['v1'];
  };
}

/** The path at which the operator serves the webhook. */
export const CONVERSION_PATH = '/convert';

/** Whether a step between versions of the kind has functions, which need a webhook. */
export const needsWebhook = ({ versions = [] }: Pick<KindShape, 'versions'>): boolean =>
  versions.some((step) => step.conversion !== undefined);

/** The conversion settings of a CRD with a webhook. The operator or cert-manager adds the CA at run time. */
export const webhookAt = ({ name, namespace, port }: ConversionService): CrdConversion => ({
  strategy: 'Webhook',
  webhook: {
    clientConfig: { service: { name, namespace, path: CONVERSION_PATH, port } },
    conversionReviewVersions: ['v1'],
  },
});

/** A kind with conversion functions has a webhook service, which the construct `Operator` sets. */
export const webhookServed = { id: 'version-webhook' } as const;

/** Issues of a kind with conversion functions but without a webhook service. */
export const webhookIssues = (shape: KindShape, conversion: ConversionService | undefined): Issue[] => {
  if (!needsWebhook(shape) || conversion) return [];
  const message = 'have functions, which a webhook must call, and the address of the webhook is missing';
  const fix = 'install the kind with Operator, or pass conversion';
  return [{ path: 'versions', message, rule: webhookServed.id, fix }];
};
