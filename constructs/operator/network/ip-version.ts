/**
 * The version of the IP address in a text, by the rules of the URL standard. Constructs do not load Node's network modules.
 *
 * @returns 4, 6, or 0 for a text that is not an address
 */
export const ipVersion = (text: string): 0 | 4 | 6 => {
  // `URL` also accepts `127.1` as an address, and expands it.
  if (/^[\d.]+$/.test(text)) return URL.parse(`http://${text}/`)?.hostname === text ? 4 : 0;
  return text.includes(':') && URL.canParse(`http://[${text}]/`) ? 6 : 0;
};
