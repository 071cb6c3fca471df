import pinned from './pins.json' with { type: 'json' };

/** Node of npm, for one platform. */
export interface NodePin {
  /** Package of npm. */
  readonly package: string;
  /** Subresource integrity of its archive, as npm has it. */
  readonly integrity: string;
}

/** A package of Debian. */
export interface DebianPin {
  readonly name: string;
  readonly version: string;
  /** Archive on a mirror: `debian`, `debian-security`. */
  readonly archive: string;
  /** Path in that archive. */
  readonly path: string;
  readonly sha256: string;
}

/** What an image is made of when no base is taken from a registry. */
export interface ImagePins {
  readonly node: { readonly version: string; readonly platforms: Readonly<Record<string, NodePin>> };
  readonly debian: {
    /** Version of Debian, such as `13`. */
    readonly release: string;
    /** When the packages were looked up: snapshot.debian.org keeps what was there then. */
    readonly snapshot: string;
    readonly platforms: Readonly<Record<string, readonly DebianPin[]>>;
  };
}

/** The pins of this release; `npm run image:pins` renews them. */
export const imagePins: ImagePins = pinned;
