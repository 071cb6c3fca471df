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
