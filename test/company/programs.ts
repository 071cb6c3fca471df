import { ControlPlaneError } from '#test/control-plane/error.ts';

/**
 * Finds or builds the programs of a part before its first case, so that their build is not counted as the time of a case.
 *
 * @param provide - finds or builds the programs
 * @returns why the programs cannot be built on this machine; undefined when they are available
 */
export const missingPrograms = async (provide: () => Promise<unknown>): Promise<string | undefined> => {
  try {
    await provide();
    return undefined;
  } catch (error) {
    if (error instanceof ControlPlaneError) return error.message;
    throw error;
  }
};
