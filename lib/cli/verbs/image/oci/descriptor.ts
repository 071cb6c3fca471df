/** Media types of the image format, https://github.com/opencontainers/image-spec/blob/v1.1.1/media-types.md */
export const MEDIA_TYPES = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

/** The operating system and processor of an image, with the names of Go. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

/** A pointer to a blob, https://github.com/opencontainers/image-spec/blob/v1.1.1/descriptor.md */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: Platform;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The manifest of an image for one platform. */
export interface ImageManifest {
  readonly schemaVersion: 2;
  readonly mediaType: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The index of an image for several platforms. The file `index.json` of a layout has the same format. */
export interface ImageIndex {
  readonly schemaVersion: 2;
  readonly mediaType: string;
  readonly manifests: readonly Descriptor[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * The configuration of an image, with the settings of its containers,
 * https://github.com/opencontainers/image-spec/blob/v1.1.1/config.md
 */
export interface ImageConfig {
  readonly created?: string;
  readonly architecture: string;
  readonly os: string;
  readonly variant?: string;
  readonly config?: {
    readonly User?: string;
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[];
    readonly Cmd?: readonly string[];
    readonly WorkingDir?: string;
    readonly ExposedPorts?: Readonly<Record<string, object>>;
    readonly Labels?: Readonly<Record<string, string>>;
  };
  readonly rootfs: { readonly type: 'layers'; readonly diff_ids: readonly string[] };
  readonly history?: readonly { readonly created?: string; readonly created_by?: string; readonly comment?: string }[];
}

/** The name of a platform, such as `linux/arm64`. */
export const platformName = ({ os, architecture }: Platform): string => `${os}/${architecture}`;
