import { UnreachableError } from '../registry/http.ts';
import { parseReference } from '../registry/reference.ts';
import type { Base, BaseInput } from './base.ts';
import { debianBase } from './debian-base.ts';
import { imagePins } from './pins.ts';
import { registryBase } from './registry-base.ts';

/** The default base of images. The Dockerfile names the same base. */
export const DEFAULT_BASE = 'gcr.io/distroless/nodejs24-debian13:nonroot';

/** The name of the base that needs no image registry. */
export const DEBIAN = 'debian';

/**
 * Makes the base of an image.
 *
 * @param wanted - the name of an image, or `debian`. @default {@link DEFAULT_BASE}; `debian` if its registry does not respond
 * @param note - receives a line for users when `debian` replaces the default base
 */
export const chooseBase = async (
  wanted: string | undefined,
  input: BaseInput,
  note: (line: string) => void,
): Promise<Base> => {
  if (wanted === DEBIAN) return debianBase(imagePins, input);
  const reference = parseReference('--base', wanted ?? DEFAULT_BASE);
  try {
    return await registryBase(reference, input);
  } catch (error) {
    // A base that the user has named is never replaced by another base.
    if (wanted !== undefined || !(error instanceof UnreachableError)) throw error;
    note(`${reference.registry} does not respond, so the base is made of pinned packages`);
    return debianBase(imagePins, input);
  }
};
