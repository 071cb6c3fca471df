const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/** Whether a text matches a pattern, in which `*` matches any text. */
export const fits = (pattern: string, text: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replaceAll(SPECIAL, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
};
