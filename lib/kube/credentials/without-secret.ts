import type { Authentication } from './authentication.ts';

/** Debugging proxies answer with the request they got, so what an answer says may contain our token. */
export const withoutSecret = (text: string, { headers: { authorization } }: Authentication): string => {
  const secret = typeof authorization === 'string' ? authorization.split(' ').at(-1) : undefined;
  return secret ? text.replaceAll(secret, '[redacted]') : text;
};
