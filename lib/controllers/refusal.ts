import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';

/** The message of a refused request. As in the real controllers, the message becomes the message of a condition. */
export const messageOf = ({ body }: ServerResponse): string => {
  const { message } = body;
  return typeof message === 'string' ? message : '';
};

/** Whether a creation failed because the namespace is terminating. Controllers do not report such a refusal as a failure. */
export const isNamespaceTerminating = ({ body }: ServerResponse): boolean => {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly { reason?: string }[] };
  return causes.some(({ reason }) => reason === 'NamespaceTerminating');
};
