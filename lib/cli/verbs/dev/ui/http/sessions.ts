import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The name of the session cookie. */
export const SESSION_COOKIE = 'dev-ui';

/** Maximum number of sessions. The oldest session ends first. */
const MAX_SESSIONS = 8;

/** 32 random bytes as text. */
export const randomSecret = (): string => randomBytes(32).toString('base64url');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const isEqual = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const cookiesIn = (header: string): readonly string[] =>
  header.split(';').flatMap((pair) => {
    const [name, value = ''] = pair.trim().split('=', 2);
    return name === SESSION_COOKIE ? [value] : [];
  });

/** The token of the address, which is valid once, and the sessions for which it was exchanged. */
export class UiSessions {
  #token: string | undefined;
  #sessions: readonly string[] = [];

  /** Makes a new token. An older token that was not used becomes invalid. */
  newToken(): string {
    this.#token = randomSecret();
    return this.#token;
  }

  /** Exchanges the token for the value of a session cookie; `undefined` for a wrong or used token. */
  exchange(token: string): string | undefined {
    if (this.#token === undefined || !isEqual(token, this.#token)) return undefined;
    this.#token = undefined;
    const session = randomSecret();
    this.#sessions = [...this.#sessions, session].slice(-MAX_SESSIONS);
    return session;
  }

  /** Whether the header `Cookie` has a known session. */
  isKnown(cookieHeader: string | undefined): boolean {
    const given = cookiesIn(cookieHeader ?? '');
    return given.some((value) => this.#sessions.some((session) => isEqual(value, session)));
  }
}
