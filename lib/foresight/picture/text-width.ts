/** Widths of characters in ems, for the usual sans-serif fonts: a picture cannot measure its text. */
const WIDTHS: readonly (readonly [pattern: RegExp, width: number])[] = [
  [/[ilIj.,:;'|!]/, 0.32],
  [/[ftr()[\]/ ·-]/, 0.4],
  [/[mwMW%@—…]/, 0.95],
  [/[A-Z]/, 0.72],
];
/** Of digits and small letters; rather too wide than too narrow, for fonts differ. */
const USUAL = 0.6;

const widthOf = (character: string): number => WIDTHS.find(([pattern]) => pattern.test(character))?.[1] ?? USUAL;

/** About how wide a text is, in pixels. */
export const textWidth = (text: string, fontSize: number): number =>
  Array.from(text).reduce((sum, character) => sum + widthOf(character), 0) * fontSize;

/** A text that is cut to a width, with an ellipsis. */
export const cut = (text: string, fontSize: number, width: number): string => {
  if (textWidth(text, fontSize) <= width) return text;
  const characters = Array.from(text);
  while (characters.length > 0 && textWidth(`${characters.join('')}…`, fontSize) > width) characters.pop();
  return characters.length === 0 ? '' : `${characters.join('').trimEnd()}…`;
};
