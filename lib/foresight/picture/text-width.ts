/** Widths of characters in ems. The table is needed because an SVG cannot measure text; it holds for common sans-serif fonts. */
const WIDTHS: readonly (readonly [pattern: RegExp, width: number])[] = [
  [/[ilIj.,:;'|!]/, 0.32],
  [/[ftr()[\]/ ·-]/, 0.4],
  [/[mwMW%@—…]/, 0.95],
  [/[A-Z]/, 0.72],
];
/** Width of all other characters in ems. The value is rather large, because fonts differ. */
const USUAL = 0.6;

const widthOf = (character: string): number => WIDTHS.find(([pattern]) => pattern.test(character))?.[1] ?? USUAL;

/** Approximate width of a text, in pixels. */
export const textWidth = (text: string, fontSize: number): number =>
  Array.from(text).reduce((sum, character) => sum + widthOf(character), 0) * fontSize;

/** Cuts a text that is wider than `width`, and adds an ellipsis. Returns an empty text if no character fits. */
export const cut = (text: string, fontSize: number, width: number): string => {
  if (textWidth(text, fontSize) <= width) return text;
  const characters = Array.from(text);
  while (characters.length > 0 && textWidth(`${characters.join('')}…`, fontSize) > width) characters.pop();
  return characters.length === 0 ? '' : `${characters.join('').trimEnd()}…`;
};
