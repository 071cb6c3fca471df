const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/** Whether a text is of a pattern, in which `*` stands for anything. */
export const fits = (pattern: string, text: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replaceAll(SPECIAL, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
};
