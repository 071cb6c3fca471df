import type { Authentication } from './authentication.ts';

/** Removes our token from a response. Debugging proxies repeat the request in their response, token included. */
export const withoutSecret = (text: string, { headers: { authorization } }: Authentication): string => {
  const secret = typeof authorization === 'string' ? authorization.split(' ').at(-1) : undefined;
  return secret ? text.replaceAll(secret, '[redacted]') : text;
};
