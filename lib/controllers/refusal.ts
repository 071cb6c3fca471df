import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';

/** What a refusal says; the real controllers put the same text in conditions. */
export const messageOf = ({ body }: ServerResponse): string => {
  const { message } = body;
  return typeof message === 'string' ? message : '';
};

/** Nothing can be created there any more: controllers do not treat that as a failure. */
export const isNamespaceTerminating = ({ body }: ServerResponse): boolean => {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly { reason?: string }[] };
  return causes.some(({ reason }) => reason === 'NamespaceTerminating');
};
