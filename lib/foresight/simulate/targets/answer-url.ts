import { hostEntryOf } from '#lib/desired/hosts/allowed-hosts.ts';
import type { Issue } from '#lib/errors.ts';
import type { AnswerRule } from './script-targets.ts';

/** The URL pattern of a rule for responses to HTTP requests of effects. */
export interface AnswerUrl {
  /** The normalised URL: host in lower case, without the default port. `*` matches any text. */
  readonly pattern: string;
  /** The host in the format of the allowed hosts of an operator. */
  readonly host: string;
}

const FORM =
  /^(?<scheme>https?):\/\/(?<host>\[[0-9a-f:.]+\]|(?:\*\.)?[^/*?#@:]+)(?::(?<port>\d+))?(?<rest>[/?#].*)?$/is;

const PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** Parses the URL pattern of a rule. @returns `undefined` for a text without a scheme or a valid host */
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

/** A rule as the script contains it: the response to requests with a URL. */
interface Answered {
  readonly url: string;
  readonly status?: number;
  readonly body?: string;
}

/** Converts a rule of the script: normalises its URL pattern, and fills in the status 200 and an empty body. */
export const answerRuleOf = ({ url, status = 200, body = '' }: Answered): AnswerRule => ({
  url: readAnswerUrl(url)?.pattern ?? url,
  status,
  body,
});

/** Issues of the URL of a rule. The schema reports a value that is not a string. */
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
