import type { Blobs } from './blobs.ts';
import {
  type Descriptor,
  type ImageConfig,
  type ImageIndex,
  type ImageManifest,
  MEDIA_TYPES,
  type Platform,
} from './descriptor.ts';

/** The base of an image for one platform. Its layers are in the layout. */
export interface PlatformBase {
  readonly platform: Platform;
  readonly config: ImageConfig;
  readonly layers: readonly Descriptor[];
}

/** The layer that contains the operator. */
export interface OperatorLayer {
  readonly descriptor: Descriptor;
  readonly diffId: string;
}

/** The settings of an image that are the same for all platforms. */
export interface ImageSettings {
  readonly title: string;
  readonly version: string;
  /** Name and digest of the base, if it comes from a registry. */
  readonly base?: { readonly name: string; readonly digest: string } | undefined;
}

/** The creation time of all images. The time is fixed, so that the same files give the same digest. */
const CREATED = '1970-01-01T00:00:00Z';

const NAMES = 'org.opencontainers.image';

const labelsOf = ({ title, version }: ImageSettings): Readonly<Record<string, string>> => ({
  [`${NAMES}.title`]: title,
  [`${NAMES}.version`]: version,
});

/** The settings of the container, equal to the settings in the Dockerfile. A test compares them. */
export const containerSettings = {
  User: '65532:65532',
  WorkingDir: '/app',
  Entrypoint: ['/nodejs/bin/node', '/app/operator.mjs'],
  ExposedPorts: { '8080/tcp': {}, '8081/tcp': {}, '9443/tcp': {} },
} as const;

const configOf = (base: ImageConfig, diffId: string, settings: ImageSettings): ImageConfig => {
  // `Cmd` of the base is removed. Its value, such as a default script, would become an argument of the entry point.
  const { Cmd: _, ...inherited } = base.config ?? {};
  return {
    ...base,
    created: CREATED,
    config: { ...inherited, ...containerSettings, Labels: { ...inherited.Labels, ...labelsOf(settings) } },
    rootfs: { type: 'layers', diff_ids: [...base.rootfs.diff_ids, diffId] },
    history: [
      ...(base.history ?? []),
      { created: CREATED, created_by: 'cdk8s-reconcile image', comment: 'the operator, in /app' },
    ],
  };
};

const annotationsOf = ({ base }: ImageSettings): Pick<ImageManifest, 'annotations'> =>
  base === undefined
    ? {}
    : { annotations: { [`${NAMES}.base.name`]: base.name, [`${NAMES}.base.digest`]: base.digest } };

/** Adds the image of one platform to the layout. */
export const addPlatformImage = async (
  blobs: Blobs,
  base: PlatformBase,
  layer: OperatorLayer,
  settings: ImageSettings,
): Promise<Descriptor> => {
  const config = await blobs.addJson(MEDIA_TYPES.config, configOf(base.config, layer.diffId, settings));
  const manifest: ImageManifest = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    config,
    layers: [...base.layers, layer.descriptor],
    ...annotationsOf(settings),
  };
  return { ...(await blobs.addJson(MEDIA_TYPES.manifest, manifest)), platform: base.platform };
};

/** Adds the index that combines the images of all platforms to one image. */
export const addImageIndex = async (blobs: Blobs, manifests: readonly Descriptor[]): Promise<Descriptor> => {
  const index: ImageIndex = { schemaVersion: 2, mediaType: MEDIA_TYPES.index, manifests };
  return blobs.addJson(MEDIA_TYPES.index, index);
};
