/** Escapes a text for SVG. Characters that XML forbids are dropped. */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');

/** Attributes of an element. An attribute with the value `undefined` is left out; numbers are rounded to a tenth. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Formats a number, rounded to a tenth. */
export const rounded = (value: number): string => String(Math.round(value * 10) / 10);

const shown = (value: string | number): string => (typeof value === 'number' ? rounded(value) : escaped(value));

/** Formats an element with child elements, which are already SVG. */
export const element = (name: string, attributes: Attributes, ...children: readonly string[]): string => {
  const all = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${shown(value)}"`],
  );
  return children.length === 0 ? `<${name}${all.join('')}/>` : `<${name}${all.join('')}>${children.join('')}</${name}>`;
};

/** Formats an element with a text, which the function escapes. */
export const textElement = (name: string, attributes: Attributes, text: string): string =>
  element(name, attributes, escaped(text));

/** Formats an element with only a title, for tooltips and screen readers. */
export const titled = (name: string, attributes: Attributes, title: string): string =>
  element(name, attributes, element('title', {}, escaped(title)));
