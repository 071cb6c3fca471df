/** Something that all cases of a part use; made when the first one asks for it. */
export interface Shared<T> {
  readonly get: () => Promise<T>;
  /** Ends it, where it was made. */
  readonly end: () => Promise<void>;
}

/**
 * @param make - makes it; when that fails, the next case tries again
 */
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
