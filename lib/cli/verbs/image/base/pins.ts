import pinned from './pins.json' with { type: 'json' };

/** The npm package of Node for one platform. */
export interface NodePin {
  /** The name of the npm package. */
  readonly package: string;
  /** The integrity of its archive, as in the registry of npm. */
  readonly integrity: string;
}

/** A pinned package of Debian. */
export interface DebianPin {
  readonly name: string;
  readonly version: string;
  /** The archive on a mirror: `debian` or `debian-security`. */
  readonly archive: string;
  /** The path in the archive. */
  readonly path: string;
  readonly sha256: string;
}

/** The pinned parts of an image with a base that does not come from a registry. */
export interface ImagePins {
  readonly node: { readonly version: string; readonly platforms: Readonly<Record<string, NodePin>> };
  readonly debian: {
    /** The version of Debian, such as `13`. */
    readonly release: string;
    /** The time of the look-up of the packages. snapshot.debian.org keeps the packages of that time. */
    readonly snapshot: string;
    readonly platforms: Readonly<Record<string, readonly DebianPin[]>>;
  };
}

/** The pins of this release; `npm run image:pins` updates them. */
export const imagePins: ImagePins = pinned;
