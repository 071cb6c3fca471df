/** A value that all cases of a part share; created at its first use. */
export interface Shared<T> {
  readonly get: () => Promise<T>;
  /** Disposes of the value, if it was created. */
  readonly end: () => Promise<void>;
}

/** @param make - creates the value; when this fails, the next case tries again */
export const shared = <T extends AsyncDisposable>(make: () => Promise<T>): Shared<T> => {
  let made: Promise<T> | undefined;
  return {
    get: async () => {
      made ??= make();
      try {
        return await made;
      } catch (error) {
        made = undefined;
        throw error;
      }
    },
    end: async () => (await made)?.[Symbol.asyncDispose](),
  };
};
