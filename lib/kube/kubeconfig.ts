import type { KubeConfig } from '@kubernetes/client-node';
import { ConfigurationError } from '#lib/errors.ts';
import type { Authentication, Credentials, TlsMaterial } from './authentication.ts';
import { complaintOf, parseYaml, resolveUser, toKubeConfig } from './client-node.ts';
import { asText, isRecord } from './json.ts';
import { type KubeconfigContext, readKubeconfig } from './kubeconfig-file.ts';
import { openReloadedFile, type ReloadedFile } from './reloaded-file.ts';

/** How long an answer of client-node is used before it is asked again, in milliseconds; it reads files on every call. */
const MAX_AGE_MS = 10_000;

/** As client-go's transport/token_source.go. */
const TOKEN_MAX_AGE_MS = 60_000;

const impersonation = (user: Readonly<Record<string, unknown>>): Record<string, string | string[]> => {
  const [name, uid, groups] = [asText(user['as']), asText(user['as-uid']), user['as-groups']];
  return {
    ...(name && { 'impersonate-user': name }),
    ...(uid && { 'impersonate-uid': uid }),
    ...(Array.isArray(groups) && groups.length > 0 && { 'impersonate-group': groups.map(String) }),
  };
};

/** The server is logged and told in errors. User and password belong into the user's entry, and are taken from there alone. */
const withoutUser = (server: string): string => {
  const { origin, pathname } = new URL(server);
  return `${origin}${pathname}`.replace(/\/+$/, '');
};

const sameTls = (a: TlsMaterial, b: TlsMaterial): boolean => JSON.stringify(a) === JSON.stringify(b);

class KubeconfigCredentials implements Credentials {
  readonly server: string;
  readonly namespace: string;
  readonly source: string;
  readonly #context: KubeconfigContext;
  readonly #tokenFile: ReloadedFile | undefined;
  readonly #now: () => number;
  #config: KubeConfig;
  #authentication: Authentication = { headers: {}, tls: {} };
  #resolvedAt = 0;
  #renewedAt: number;
  #resolving: Promise<void> | undefined;

  constructor(
    source: string,
    context: KubeconfigContext,
    options: { readonly config: KubeConfig; readonly tokenFile: ReloadedFile | undefined; readonly now: () => number },
  ) {
    this.server = withoutUser(String(context.cluster['server']));
    this.namespace = context.namespace ?? 'default';
    this.source = source;
    this.#context = context;
    this.#config = options.config;
    this.#tokenFile = options.tokenFile;
    this.#now = options.now;
    this.#renewedAt = options.now();
  }

  async authenticate(): Promise<Authentication> {
    if (this.#isOlderThan(MAX_AGE_MS, this.#resolvedAt)) await this.#tryResolve();
    return this.#authentication;
  }

  async renew(): Promise<void> {
    await this.#tokenFile?.reload();
    // A plugin may take seconds and open a browser, so a server that keeps answering 401 must not start it all the time.
    if (this.#context.user['exec'] && this.#isOlderThan(MAX_AGE_MS, this.#renewedAt)) {
      this.#renewedAt = this.#now();
      // client-node keeps a plugin's token until it expires, with no way to drop it, but it keeps it in this object.
      this.#config = toKubeConfig(this.#context);
    }
    await this.#tryResolve();
  }

  /** Asks client-node for credentials. Rejects when it cannot get them. */
  async resolve(): Promise<void> {
    const { authorization, tls: fresh } = await resolveUser(this.#config);
    const token = await this.#tokenFile?.current();
    const proof = token ? `Bearer ${token}` : authorization;
    const headers = { ...(proof && { authorization: proof }), ...impersonation(this.#context.user) };
    const old = this.#authentication;
    const tls = sameTls(old.tls, fresh) ? old.tls : fresh;
    const unchanged = tls === old.tls && JSON.stringify(headers) === JSON.stringify(old.headers);
    this.#authentication = unchanged ? old : { headers, tls };
    this.#resolvedAt = this.#now();
  }

  #isOlderThan(maxAgeMs: number, since: number): boolean {
    const ageMs = this.#now() - since;
    return ageMs < 0 || ageMs >= maxAgeMs;
  }

  async #tryResolve(): Promise<void> {
    this.#resolving ??= this.#keepOldOnFailure();
    await this.#resolving;
  }

  async #keepOldOnFailure(): Promise<void> {
    try {
      await this.resolve();
    } catch {
      // What we have may still be good; if not, the server's 401 is what the caller gets to see.
      this.#resolvedAt = this.#now();
    } finally {
      this.#resolving = undefined;
    }
  }
}

const refuseUnsupported = (context: KubeconfigContext, source: string): void => {
  const { cluster, user } = context;
  if (asText(cluster['proxy-url'])) {
    throw new ConfigurationError(
      `Cannot use ${source}: cluster "${context.clusterName}" has a proxy-url, which is not supported; ` +
        'connect to the API server directly or through a tunnel',
    );
  }
  if (isRecord(user['as-user-extra'])) {
    throw new ConfigurationError(
      `Cannot use ${source}: user "${context.userName}" has as-user-extra, which is not supported; impersonate without it`,
    );
  }
  if (!/^https?:$/.test(URL.parse(asText(cluster['server']) ?? '')?.protocol ?? '')) {
    throw new ConfigurationError(
      `Cannot use ${source}: cluster "${context.clusterName}" has no valid server; set it to a URL such as https://host:6443`,
    );
  }
};

const openTokenFile = async (context: KubeconfigContext, now: () => number): Promise<ReloadedFile | undefined> => {
  const path = asText(context.user['tokenFile']);
  return path === undefined ? undefined : openReloadedFile(path, { maxAgeMs: TOKEN_MAX_AGE_MS, now });
};

/**
 * The credentials of the current context, or of a chosen one, of one or more kubeconfig files, resolved by client-node's KubeConfig: client
 * certificates, tokens, token files, basic auth, credential plugins (exec), OIDC, impersonation.
 *
 * **Flow**: resolved once here, so that mistakes show at start; again when the last time is 10 s ago and on `renew()`, which
 * also runs a credential plugin again. The context that was current at start stays the one.
 *
 * **Caveats**: this module loads client-node, which is slow; import it dynamically.
 *
 * @param paths - in order of precedence
 * @throws ConfigurationError when the files cannot be used or the credentials cannot be had
 */
export const loadKubeconfig = async (
  paths: readonly string[],
  options: { readonly now: () => number; readonly context?: string | undefined },
): Promise<Credentials> => {
  const context = await readKubeconfig(paths, parseYaml, options.context);
  const source = `kubeconfig ${paths.join(':')} (context "${context.name}")`;
  refuseUnsupported(context, source);
  try {
    const tokenFile = await openTokenFile(context, options.now);
    const config = toKubeConfig(context);
    const credentials = new KubeconfigCredentials(source, context, { config, tokenFile, now: options.now });
    await credentials.resolve();
    return credentials;
  } catch (error) {
    throw new ConfigurationError(
      `Cannot get the credentials of user "${context.userName}" of ${source}: ${complaintOf(error)}; check the user's entry`,
      error instanceof SyntaxError ? {} : { cause: error },
    );
  }
};
