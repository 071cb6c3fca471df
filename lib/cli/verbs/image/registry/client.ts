import type { RequestInit, Response } from 'undici';
import { ConfigurationError } from '#lib/errors.ts';
import { blobDigestOf } from '../oci/blobs.ts';
import { type Descriptor, MEDIA_TYPES } from '../oci/descriptor.ts';
import { authorizationFor } from './authorization.ts';
import { credentialsFor } from './credentials.ts';
import type { Http } from './http.ts';
import type { Reference } from './reference.ts';

/** Docker's own media types, which correspond to the OCI types in {@link MEDIA_TYPES}. Many registries still use them. */
export const DOCKER_TYPES = {
  index: 'application/vnd.docker.distribution.manifest.list.v2+json',
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  layer: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
} as const;

const MANIFESTS = [MEDIA_TYPES.index, MEDIA_TYPES.manifest, DOCKER_TYPES.index, DOCKER_TYPES.manifest].join(', ');

/** Registries on this machine. Requests to them do not use TLS, as in Docker. */
const LOCAL = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/;

const urlOf = (registry: string): URL => {
  if (registry === 'docker.io') return new URL('https://registry-1.docker.io');
  return new URL(`${LOCAL.test(registry) ? 'http' : 'https'}://${registry}`);
};

/** The maximum size of a blob. Blobs are read into memory. */
const MAX_BLOB_BYTES = 2 ** 30;

/** A manifest or an index, with its descriptor. */
export interface FoundManifest {
  readonly descriptor: Descriptor;
  readonly bytes: Buffer;
}

/** The rights of a client in a repository. */
export type Access = 'pull' | 'pull,push';

/** A client for the OCI distribution API of one repository. */
export class RepositoryClient {
  readonly #http: Http;
  readonly #reference: Reference;
  readonly #access: Access;
  readonly #url: URL;
  readonly #env: Readonly<Record<string, string | undefined>>;
  #authorization: string | undefined;

  constructor(http: Http, reference: Reference, access: Access, env: Readonly<Record<string, string | undefined>>) {
    this.#http = http;
    this.#reference = reference;
    this.#access = access;
    this.#env = env;
    this.#url = urlOf(reference.registry);
  }

  /** Reads a manifest or an index. @param name - a tag or a digest */
  async manifest(name: string): Promise<FoundManifest> {
    const response = await this.#ask(`manifests/${name}`, { headers: { accept: MANIFESTS } });
    if (response.status === 404)
      await this.#refuse(response, 'does not have', `${name.startsWith('sha256:') ? '@' : ':'}${name}`);
    if (!response.ok) await this.#refuse(response, 'does not serve');
    const bytes = await this.#http.read(response);
    const digest = blobDigestOf(bytes);
    if (name.startsWith('sha256:') && name !== digest)
      throw new ConfigurationError(
        `Cannot use ${this.#name(`@${name}`)}: the registry sent content with the digest ${digest}`,
      );
    const mediaType = (response.headers.get('content-type') ?? '').replace(/;.*/, '');
    return { descriptor: { mediaType, digest, size: bytes.length }, bytes };
  }

  /**
   * Reads a blob into memory.
   *
   * @throws {ConfigurationError} when the registry refuses, or the blob is larger than {@link MAX_BLOB_BYTES} or has another
   * digest
   */
  async blob({ digest, size }: Descriptor): Promise<Buffer> {
    if (!(size <= MAX_BLOB_BYTES))
      throw new ConfigurationError(
        `Cannot use ${this.#name(`@${digest}`)}: its size is ${size}, and the limit is ${MAX_BLOB_BYTES} bytes; name another base: --base`,
      );
    const response = await this.#ask(`blobs/${digest}`);
    if (!response.ok) await this.#refuse(response, 'does not serve', `@${digest}`);
    const bytes = await this.#http.read(response, size);
    if (bytes.length === size && blobDigestOf(bytes) === digest) return bytes;
    throw new ConfigurationError(`Cannot use ${this.#name(`@${digest}`)}: the registry sent other content; try again`);
  }

  /** Uploads a blob, unless the registry already has it. */
  async push({ digest }: Descriptor, bytes: Uint8Array): Promise<void> {
    const found = await this.#ask(`blobs/${digest}`, { method: 'HEAD' });
    if (found.ok) return;
    const begun = await this.#ask('blobs/uploads/', { method: 'POST' });
    const location = begun.headers.get('location');
    if (begun.status !== 202 || location === null) await this.#refuse(begun, 'does not accept');
    await begun.body?.cancel();
    const url = new URL(location ?? '', this.#url);
    if (this.#url.protocol === 'https:' && url.protocol !== 'https:')
      throw new ConfigurationError(
        `Cannot use ${this.#name()}: ${this.#url.host} leads the upload to ${url.origin}, which has no TLS`,
      );
    url.searchParams.set('digest', digest);
    const put = await this.#send(url, {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
    });
    if (put.status !== 201) await this.#refuse(put, 'does not accept', `@${digest}`);
    await put.body?.cancel();
  }

  /** Uploads a manifest or an index. @param name - a tag or a digest */
  async pushManifest(name: string, mediaType: string, bytes: Uint8Array): Promise<void> {
    const put = await this.#ask(`manifests/${name}`, {
      method: 'PUT',
      headers: { 'content-type': mediaType },
      body: bytes,
    });
    if (put.status !== 201) await this.#refuse(put, 'does not accept', `:${name}`);
    await put.body?.cancel();
  }

  #name(suffix = ''): string {
    return `${this.#reference.registry}/${this.#reference.repository}${suffix}`;
  }

  #ask(path: string, init: RequestInit = {}): Promise<Response> {
    return this.#send(new URL(`/v2/${this.#reference.repository}/${path}`, this.#url), init);
  }

  async #send(url: URL, init: RequestInit): Promise<Response> {
    const first = await this.#sendOnce(url, init);
    // The registry may redirect an upload to another host. After a 401 of that host, the client does not send the credentials of
    // the registry.
    if (first.status !== 401 || url.origin !== this.#url.origin) return first;
    const header = first.headers.get('www-authenticate') ?? '';
    await first.body?.cancel();
    const scope = `repository:${this.#reference.repository}:${this.#access}`;
    const credentials = await credentialsFor(this.#reference.registry, this.#env);
    this.#authorization = await authorizationFor(this.#http, this.#url, header, { scope, credentials });
    if (this.#authorization !== undefined) {
      const second = await this.#sendOnce(url, init);
      if (second.status !== 401) return second;
      await second.body?.cancel();
    }
    throw new ConfigurationError(
      credentials === undefined
        ? `Cannot use ${this.#name()}: ${this.#url.host} demands credentials, and there are none; sign in: docker login ${this.#reference.registry}`
        : `Cannot use ${this.#name()}: ${this.#url.host} does not accept the stored credentials; sign in again: docker login ${this.#reference.registry}`,
    );
  }

  #sendOnce(url: URL, init: RequestInit): Promise<Response> {
    // The token is sent only to the registry, and not to another host or over a connection without TLS.
    const authorization = url.origin === this.#url.origin ? this.#authorization : undefined;
    const headers = {
      ...(init.headers as Record<string, string> | undefined),
      ...(authorization && { authorization }),
    };
    return this.#http.send(url, { ...init, headers });
  }

  async #refuse(response: Response, verb: string, suffix = ''): Promise<never> {
    const text = (await this.#http.read(response)).toString('utf8');
    const [, said = ''] = /"message"\s*:\s*"([^"]*)"/.exec(text) ?? [];
    const advice =
      response.status === 403 ? `ask for the right to ${this.#access === 'pull' ? 'pull' : 'push'}` : 'check the name';
    throw new ConfigurationError(
      `Cannot use ${this.#name(suffix)}: ${this.#url.host} ${verb} it (${response.status}${said === '' ? '' : ` ${said}`}); ${advice}`,
    );
  }
}
