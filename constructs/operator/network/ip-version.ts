/**
 * Returns the version of an IP address by the rules of the URL standard. The function does not use `node:net`, because
 * constructs load no network modules.
 *
 * @returns 4, 6, or 0 for a text that is not an address
 */
export const ipVersion = (text: string): 0 | 4 | 6 => {
  // `URL` also expands short forms such as `127.1`; the comparison excludes them.
  if (/^[\d.]+$/.test(text)) return URL.parse(`http://${text}/`)?.hostname === text ? 4 : 0;
  return text.includes(':') && URL.canParse(`http://[${text}]/`) ? 6 : 0;
};

const bitsOf = (text: string, { radix, width }: { readonly radix: number; readonly width: number }): string =>
  (text.match(/[0-9a-f]+/g) ?? [])
    .map((part) => Number.parseInt(part, radix).toString(2).padStart(width, '0'))
    .join('');

/** Returns the bits of an IP address, as 32 or 128 characters; empty for a text that is not an address. */
export const addressBits = (text: string): string => {
  if (ipVersion(text) !== 6) return ipVersion(text) === 4 ? bitsOf(text, { radix: 10, width: 8 }) : '';
  const halves = URL.parse(`http://[${text}]/`)?.hostname.split('::') ?? [];
  const [left = '', right = ''] = halves.map((half) => bitsOf(half, { radix: 16, width: 16 }));
  return left.padEnd(128 - right.length, '0') + right;
};
