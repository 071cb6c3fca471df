import type { Blobs } from '../oci/blobs.ts';
import type { PlatformBase } from '../oci/image.ts';
import type { Http } from '../registry/http.ts';

/** What an image is built on, for all of its platforms. */
export interface Base {
  readonly kind: 'registry' | 'debian';
  /** One line for users. */
  readonly text: string;
  /** Name and digest, if it came from a registry. */
  readonly origin?: { readonly name: string; readonly digest: string };
  readonly images: readonly PlatformBase[];
}

/** What the makers of a base need. */
export interface BaseInput {
  /** Such as `linux/amd64`. */
  readonly platforms: readonly string[];
  /** Where the layers go. */
  readonly blobs: Blobs;
  readonly http: Http;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder for downloads and compressed layers. */
  readonly cache: string;
  readonly signal?: AbortSignal | undefined;
}
