import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { patchAt } from './patch-at.ts';

/** The image that a script requests. */
interface Wanted {
  readonly image: string;
  /** The name of the container. @default the first container */
  readonly container?: string;
}

/** A patch, or the reason why the object has no image to change. */
type ImagePatch = { readonly body: JsonObject; readonly before: string } | { readonly problem: string };

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isPlainObject(inner) ? inner[name] : undefined), value);

const inTemplate = (containers: readonly unknown[], path: string, { image, container }: Wanted): ImagePatch => {
  const names = containers.map((one) => String(at(one, 'name')));
  const index = container === undefined ? 0 : names.indexOf(container);
  const found = containers[index];
  if (!isPlainObject(found)) return { problem: `has no container "${container ?? ''}", only ${names.join(', ')}` };
  const changed = containers.map((one, place) => (place === index ? { ...found, image } : one));
  return { body: patchAt(path, changed), before: String(found['image']) };
};

/**
 * The merge patch that changes the image of an object. The image can be in the containers of a pod or a pod template, or in
 * `spec.image`. It can also be in separate fields for image and version, as in Deployer.
 */
export const imagePatch = (object: unknown, wanted: Wanted): ImagePatch => {
  for (const path of ['spec.template.spec.containers', 'spec.containers']) {
    const containers = at(object, ...path.split('.'));
    if (Array.isArray(containers) && containers.length > 0) return inTemplate(containers, path, wanted);
  }
  for (const path of [['spec', 'deployment'], ['spec']]) {
    const home = at(object, ...path);
    if (!isPlainObject(home) || typeof home['image'] !== 'string') continue;
    const { image, version } = home;
    if (typeof version !== 'string')
      return { body: patchAt([...path, 'image'].join('.'), wanted.image), before: image };
    const colon = wanted.image.lastIndexOf(':');
    const parts = { image: wanted.image.slice(0, colon), version: wanted.image.slice(colon + 1) };
    if (colon <= 0) return { problem: `has an image and a version: "${wanted.image}" has no version` };
    return { body: patchAt(path.join('.'), parts), before: `${image}:${version}` };
  }
  return { problem: 'has no image where one is expected: spec.template.spec.containers, spec.image' };
};
