import { UnreachableError } from '../registry/http.ts';
import { parseReference } from '../registry/reference.ts';
import type { Base, BaseInput } from './base.ts';
import { debianBase } from './debian-base.ts';
import { imagePins } from './pins.ts';
import { registryBase } from './registry-base.ts';

/** The base of images unless users name another one; the Dockerfile names it, too. */
export const DEFAULT_BASE = 'gcr.io/distroless/nodejs24-debian13:nonroot';

/** Names the base that needs no registry. */
export const DEBIAN = 'debian';

/**
 * Makes the base of an image.
 *
 * @param wanted - the name of an image, or `debian`; without it, that of distroless, or `debian` where its registry does not respond
 * @param note - receives the reason of the choice, for users
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
    // A base that users name is never replaced.
    if (wanted !== undefined || !(error instanceof UnreachableError)) throw error;
    note(`${reference.registry} does not respond, so the base is made of pinned packages`);
    return debianBase(imagePins, input);
  }
};
