import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';

/** The message of a refused request; empty if the response has none. */
export const messageOf = ({ body }: ServerResponse): string => {
  const { message } = body;
  return typeof message === 'string' ? message : '';
};

/** Whether a creation failed because the namespace is terminating. */
export const isNamespaceTerminating = ({ body }: ServerResponse): boolean => {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly { reason?: string }[] };
  return causes.some(({ reason }) => reason === 'NamespaceTerminating');
};
