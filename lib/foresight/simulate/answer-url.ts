import { hostEntryOf } from '#lib/desired/allowed-hosts.ts';
import type { Issue } from '#lib/errors.ts';
import type { AnswerRule } from './cast.ts';

/** Which requests a rule of the world outside is about. */
export interface AnswerUrl {
  /** As URLs are written that are asked: host in lower case, no port where it goes without saying. A * stands for anything. */
  readonly pattern: string;
  /** As whoever installs an operator would allow it. */
  readonly host: string;
}

const FORM =
  /^(?<scheme>https?):\/\/(?<host>\[[0-9a-f:.]+\]|(?:\*\.)?[^/*?#@:]+)(?::(?<port>\d+))?(?<rest>[/?#].*)?$/is;

const PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** @returns `undefined` for what names no host */
export const readAnswerUrl = (text: string): AnswerUrl | undefined => {
  const { scheme = '', host = '', port, rest = '/' } = FORM.exec(text)?.groups ?? {};
  const [protocol, name] = [scheme.toLowerCase(), host.toLowerCase()];
  const own = PORTS[protocol];
  const isPlain = protocol === 'https' && (port ?? own) === own;
  const entry = isPlain ? name : `${name}:${port ?? own}`;
  if (hostEntryOf(entry) === undefined) return undefined;
  const place = port === undefined || port === own ? name : `${name}:${port}`;
  return { pattern: `${protocol}://${place}${rest.startsWith('/') ? '' : '/'}${rest}`, host: entry };
};

/** What a script says about a URL. */
interface Answered {
  readonly url: string;
  readonly status?: number;
  readonly body?: string;
}

/** A rule of the world outside, by the pattern of its URL. */
export const answerRuleOf = ({ url, status = 200, body = '' }: Answered): AnswerRule => ({
  url: readAnswerUrl(url)?.pattern ?? url,
  status,
  body,
});

/** What is wrong with the URL of a rule; nothing with what is no text, which the schema tells. */
export const answerUrlIssues = (value: unknown, path: string): readonly Issue[] =>
  typeof value !== 'string' || value === '' || readAnswerUrl(value)
    ? []
    : [
        {
          path,
          rule: 'url',
          value,
          message:
            'must begin with http:// or https:// and a host; a * may stand in the path, or as in https://*.example.com/*',
        },
      ];
