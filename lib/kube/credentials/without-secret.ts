import type { Authentication } from './authentication.ts';

/** Debugging proxies repeat the request in their response, so a response may contain our token. */
export const withoutSecret = (text: string, { headers: { authorization } }: Authentication): string => {
  const secret = typeof authorization === 'string' ? authorization.split(' ').at(-1) : undefined;
  return secret ? text.replaceAll(secret, '[redacted]') : text;
};
