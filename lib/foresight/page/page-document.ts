import { createHash } from 'node:crypto';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control characters that HTML does not allow; the page shows a replacement character. */
const FORBIDDEN = /(?![\t\n])\p{Cc}/gu;

/** Escapes a text for HTML. */
export const escapedHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character).replaceAll(FORBIDDEN, '\uFFFD');

/** The bundled script and style of a page. */
export interface PageClient {
  readonly script: string;
  readonly style: string;
}

/** The parts of a page. `header`, `main` and `data` are HTML; the other texts are escaped. */
export interface PageParts {
  readonly client: PageClient;
  readonly verb: string;
  readonly title: string;
  /** The policy in the page itself. @default none, for a page that is served with its policy */
  readonly policy?: string;
  readonly header: string;
  readonly main: string;
  /** JSON for the script. @default none */
  readonly data?: string;
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

/** The content security policy: the page loads nothing, and only its own script and style apply. */
export const pagePolicy = ({ script, style }: PageClient): readonly string[] => [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "base-uri 'none'",
  "form-action 'none'",
];

/** The text of a policy. */
export const policyText = (directives: readonly string[]): string => directives.join('; ');

/** The HTML document of a page. */
export const pageDocument = ({ client, verb, title, policy, header, main, data }: PageParts): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${policy === undefined ? '' : `<meta http-equiv="Content-Security-Policy" content="${policy}">\n`}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapedHtml(title)} · ${escapedHtml(verb)}</title>
<style>${client.style}</style>
</head>
<body>
<header>
<p class="verb">${escapedHtml(verb)}</p>
<h1>${escapedHtml(title)}</h1>
${header}
</header>
${main}
${data === undefined ? '' : `<script type="application/json" id="run">${data}</script>\n`}<script>${client.script}</script>
</body>
</html>
`;
