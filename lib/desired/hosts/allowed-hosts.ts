import { ConfigurationError } from '#lib/errors.ts';

/** The entries of a list of allowed hosts, see {@link allowedHostsOf}. */
export type AllowedHosts = readonly string[];

/** An optional `*.`, then a name, an IPv4 address, or an IPv6 address in brackets, then an optional port. */
const ENTRY =
  /^(?<wildcard>\*\.)?(?<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::(?<port>\d{1,5}))?$/;

/** One parsed entry of a list of hosts. */
export interface HostEntry {
  /** True if the entry permits all names below the host, and not the host itself. */
  readonly isWildcard: boolean;
  /** A name or an address in the form of the URL standard: in lower case, and IPv6 in brackets. */
  readonly host: string;
  /** The port. Without a port, the entry permits https on port 443. */
  readonly port: number | undefined;
}

const HTTPS_PORT = 443;
const HTTP_PORT = 80;
const MAX_PORT = 65_535;

const portOf = ({ protocol, port }: URL): number =>
  port === '' ? (protocol === 'https:' ? HTTPS_PORT : HTTP_PORT) : Number(port);

/**
 * Whether a hostname of a URL is an address. The URL standard converts each address to one form, and refuses other names that end
 * in a number.
 */
const isAddress = (hostname: string): boolean => hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname);

/**
 * Parses an entry: `host`, `host:port`, or one of these after `*.`. A host can be an address; an IPv6 address is in brackets.
 *
 * @returns `undefined` for an invalid entry. Examples are entries with a scheme, a path, a user or a misplaced wildcard. A
 *   wildcard cannot stand before an address or a top-level domain
 * @see https://url.spec.whatwg.org/#host-parsing
 */
export const hostEntryOf = (text: string): HostEntry | undefined => {
  const { wildcard, host = '', port } = ENTRY.exec(text)?.groups ?? {};
  const hostname = URL.parse(`https://${host}/`)?.hostname ?? '';
  const isWildcard = wildcard !== undefined;
  if (hostname === '' || (isWildcard && (isAddress(hostname) || !hostname.includes('.')))) return undefined;
  if (port !== undefined && (Number(port) === 0 || Number(port) > MAX_PORT)) return undefined;
  return { isWildcard, host: hostname, port: port === undefined ? undefined : Number(port) };
};

const matches = ({ isWildcard, host, port }: HostEntry, url: URL): boolean => {
  const isHost = isWildcard
    ? url.hostname.endsWith(`.${host}`) && url.hostname.length > host.length + 1
    : url.hostname === host;
  const isPort = port === undefined ? url.protocol === 'https:' && portOf(url) === HTTPS_PORT : port === portOf(url);
  return isHost && isPort;
};

/**
 * Checks a list of hosts, and returns the same list.
 *
 * @param texts - entries `host`, `host:port` or `*.domain`. Without a port, an entry allows only https on port 443; with a port,
 *   it also allows http. `*.domain` allows all names below the domain, and not the domain itself
 * @param where - the setting that has the list, for the message
 * @throws {ConfigurationError} for an entry that {@link hostEntryOf} cannot parse
 */
export const allowedHostsOf = (texts: readonly string[], where: string): AllowedHosts => {
  const wrong = texts.find((text) => hostEntryOf(text) === undefined);
  if (wrong === undefined) return texts;
  throw new ConfigurationError(
    `${where} contains ${JSON.stringify(wrong)}: each entry must be "host", "host:port" or "*.domain", without scheme and path`,
  );
};

/** Splits a text at its commas. The entries are not checked; {@link isHostAllowed} ignores invalid entries. */
export const splitHosts = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Whether a list allows the host of a URL with its scheme and port. */
export const isHostAllowed = (allowed: AllowedHosts, url: URL): boolean =>
  allowed.some((text) => {
    const entry = hostEntryOf(text);
    return entry !== undefined && matches(entry, url);
  });
