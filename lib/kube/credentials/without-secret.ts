import type { Authentication } from './authentication.ts';

/** Removes the token of the request from a response. Debugging proxies repeat the request, with its token, in their response. */
export const withoutSecret = (text: string, { headers: { authorization } }: Authentication): string => {
  const secret = typeof authorization === 'string' ? authorization.split(' ').at(-1) : undefined;
  return secret ? text.replaceAll(secret, '[redacted]') : text;
};
