import type { Blobs } from '../oci/blobs.ts';
import type { PlatformBase } from '../oci/image.ts';
import type { Http } from '../registry/http.ts';

/** The base images on which an image is built, one for each platform. */
export interface Base {
  readonly kind: 'registry' | 'debian';
  /** A description of the base in one line, for users. */
  readonly text: string;
  /** Name and digest of the base, if it comes from a registry. */
  readonly origin?: { readonly name: string; readonly digest: string };
  readonly images: readonly PlatformBase[];
}

/** The input of the functions that make a base. */
export interface BaseInput {
  /** The platforms, such as `linux/amd64`. */
  readonly platforms: readonly string[];
  /** Receives the layers of the base. */
  readonly blobs: Blobs;
  readonly http: Http;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder for downloads and compressed layers. */
  readonly cache: string;
  readonly signal?: AbortSignal | undefined;
}
