import { validateHeaderValue } from 'node:http';
import { ConfigurationError } from '#lib/errors.ts';
import { asText, isRecord } from '#lib/kube/interface/json.ts';
import type { Authentication, Credentials, TlsMaterial } from './authentication.ts';
import { type KubeconfigContext, readKubeconfig } from './kubeconfig-file.ts';
import { credentialComplaintOf, needsPlugin, staticUser, type UserResolver } from './kubeconfig-user.ts';
import { openReloadedFile, type ReloadedFile } from './reloaded-file.ts';

/**
 * The age after which credentials are resolved again, in milliseconds. The age is short, because the resolver usually only reads
 * files.
 */
const MAX_AGE_MS = 10_000;

/** The age after which a token file is read again, as in client-go's transport/token_source.go. */
const TOKEN_MAX_AGE_MS = 60_000;

const groupOf = (group: unknown): string => {
  if (typeof group === 'string' || typeof group === 'number') return String(group);
  throw new ConfigurationError('as-groups must be a list of texts');
};

const impersonation = (user: Readonly<Record<string, unknown>>): Record<string, string | string[]> => {
  const [name, uid, groups] = [asText(user['as']), asText(user['as-uid']), user['as-groups']];
  return {
    ...(name && { 'impersonate-user': name }),
    ...(uid && { 'impersonate-uid': uid }),
    ...(Array.isArray(groups) && groups.length > 0 && { 'impersonate-group': groups.map(groupOf) }),
  };
};

/** Removes user name and password from the URL of the server, because the URL appears in logs and errors. */
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
  readonly #user: UserResolver;
  #authentication: Authentication = { headers: {}, tls: {} };
  #resolvedAt = 0;
  #renewedAt: number;
  #resolving: Promise<void> | undefined;

  constructor(
    source: string,
    context: KubeconfigContext,
    options: { readonly user: UserResolver; readonly tokenFile: ReloadedFile | undefined; readonly now: () => number },
  ) {
    this.server = withoutUser(String(context.cluster['server']));
    this.namespace = context.namespace ?? 'default';
    this.source = source;
    this.#context = context;
    this.#user = options.user;
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
    // A plugin may take seconds and open a browser. A server that responds to each request with 401 must not start the plugin
    // each time.
    if (this.#context.user['exec'] && this.#isOlderThan(MAX_AGE_MS, this.#renewedAt)) {
      this.#renewedAt = this.#now();
      this.#user.forget();
    }
    await this.#tryResolve();
  }

  /** Resolves the credentials once, and rejects if this fails. */
  async resolve(): Promise<void> {
    const { authorization, tls: fresh } = await this.#user.resolve();
    const token = await this.#tokenFile?.current();
    const proof = token ? `Bearer ${token}` : authorization;
    const headers = { ...(proof && { authorization: proof }), ...impersonation(this.#context.user) };
    // Otherwise, each request would fail, and its error would not name the kubeconfig.
    for (const [name, value] of Object.entries(headers))
      for (const one of [value].flat()) validateHeaderValue(name, one);
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
      // The current credentials may still be valid. If they are not, the caller gets the 401 of the server.
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

/** Makes the resolver of a user. The import is dynamic: only plugins need client-node, and bundles for pods do not contain it. */
const openUser = async (context: KubeconfigContext, source: string): Promise<UserResolver> => {
  if (!needsPlugin(context.user)) return staticUser(context);
  const { pluginUser } = await import('./client-node.ts').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const entry = isRecord(context.user['exec']) ? 'exec' : 'auth-provider';
    throw new ConfigurationError(
      `Cannot use ${source}: user "${context.userName}" has ${entry}, which needs @kubernetes/client-node, and a bundle for ` +
        'pods leaves that package out; install it, choose a user with a token or a certificate, or run in a pod, without KUBECONFIG',
    );
  });
  return pluginUser(context);
};

/**
 * The credentials of the current context, or of a chosen context, of one or more kubeconfig files. Supported are client
 * certificates, tokens, token files, basic auth and impersonation. Credential plugins (exec) and OIDC are supported by
 * client-node, which is loaded only for these.
 *
 * **Flow**: the function resolves the credentials once, so that errors appear at the start. The credentials are resolved again
 * after 10 s and on `renew()`. `renew()` also runs a credential plugin again, at most every 10 s. A later change of the current
 * context has no effect.
 *
 * @param paths - in order of precedence
 * @throws ConfigurationError when the files cannot be used, or the credentials are not available
 */
export const loadKubeconfig = async (
  paths: readonly string[],
  options: { readonly now: () => number; readonly context?: string | undefined },
): Promise<Credentials> => {
  const context = await readKubeconfig(paths, options.context);
  const source = `kubeconfig ${paths.join(':')} (context "${context.name}")`;
  refuseUnsupported(context, source);
  const user = await openUser(context, source);
  try {
    const tokenFile = await openTokenFile(context, options.now);
    const credentials = new KubeconfigCredentials(source, context, { user, tokenFile, now: options.now });
    await credentials.resolve();
    return credentials;
  } catch (error) {
    throw new ConfigurationError(
      `Cannot get the credentials of user "${context.userName}" of ${source}: ${credentialComplaintOf(error)}; check the user's entry`,
      error instanceof SyntaxError ? {} : { cause: error },
    );
  }
};
