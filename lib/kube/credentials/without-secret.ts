import type { Authentication } from './authentication.ts';

/**
 * Replaces the token or the basic credentials of the request in a response. Debugging proxies repeat the request in their
 * response.
 */
export const withoutSecret = (text: string, { headers: { authorization } }: Authentication): string => {
  const secret = typeof authorization === 'string' ? authorization.split(' ').at(-1) : undefined;
  return secret ? text.replaceAll(secret, '[redacted]') : text;
};
