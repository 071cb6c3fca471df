import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';

/** The message of a refusal; the real controllers put the same text in conditions. */
export const messageOf = ({ body }: ServerResponse): string => {
  const { message } = body;
  return typeof message === 'string' ? message : '';
};

/** Whether creation failed because the namespace is terminating, which controllers do not treat as a failure. */
export const isNamespaceTerminating = ({ body }: ServerResponse): boolean => {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly { reason?: string }[] };
  return causes.some(({ reason }) => reason === 'NamespaceTerminating');
};
