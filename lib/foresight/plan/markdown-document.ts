/** A part of a Markdown document. A part with lines is collapsed at first; a part without lines is an item of a list. */
export interface MarkdownSection {
  readonly title: string;
  /** Lines of a diff: `+`, `-` and `!` at the beginning of a line color the line. */
  readonly lines: readonly string[];
}

/** The content of a comment on a pull request: the result of a command. */
export interface MarkdownDocument {
  /**
   * The name of the command, such as `plan`. The first line contains the name, so that a program can find its earlier comment.
   */
  readonly name: string;
  /** A sentence that summarizes the result. */
  readonly summary: string;
  readonly sections: readonly MarkdownSection[];
}

/**
 * The maximum number of characters of a document. GitHub accepts 65,536 characters in a comment, GitLab 1,000,000; the pipeline
 * can use the remainder for its own text.
 */
export const MARKDOWN_LIMIT = 60_000;

/** The maximum number of lines of a section. */
const MAX_LINES = 200;
const MAX_LINE = 300;
/** The maximum number of characters in the lines of a section, so that a long section leaves space for others. */
const MAX_SECTION = 20_000;

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** What to escape: Markdown syntax, and the beginnings of links. */
const MARKDOWN = /[\\`*_[\]#!|~]|:(?=\/\/)|(?<=www)\./g;

/** Escapes control characters, so that a text stays on one line. */
const oneLine = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Escapes a text, so that no character has a meaning in Markdown or HTML. */
const literal = (text: string): string =>
  oneLine(text)
    .replaceAll(/[&<>"]/g, (character) => HTML[character] ?? character)
    .replaceAll(MARKDOWN, (character) => `&#${character.charCodeAt(0)};`);

const INSTANT = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;

/** A line without times, which differ from run to run. */
const stableLine = (line: string): string => {
  const text = oneLine(line).replaceAll(INSTANT, '(time)');
  return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE - 1)}…` : text;
};

/** A fence that no line contains, so that no line ends the block. */
const fenceFor = (lines: readonly string[]): string => {
  const longest = lines.flatMap((line) => line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  return '`'.repeat(longest + 1);
};

/**
 * The title is code: GitHub and GitLab decode `&#64;` before they look for mentions, issues and commits, and ignore only the text
 * of code elements.
 */
const sectionText = ({ title, lines }: MarkdownSection): string => {
  if (lines.length === 0) {
    const fence = fenceFor([title]);
    return `- ${fence} ${oneLine(title)} ${fence}\n`;
  }
  let length = 0;
  const fitting = lines
    .slice(0, MAX_LINES)
    .map(stableLine)
    .filter((line) => (length += line.length + 1) <= MAX_SECTION);
  const rest = lines.length - fitting.length;
  const shown = [...fitting, ...(rest > 0 ? [`… and ${rest} more lines`] : [])];
  const fence = fenceFor(shown);
  const block = [`${fence}diff`, ...shown, fence].join('\n');
  return `<details><summary><code>${literal(title)}</code></summary>\n\n${block}\n\n</details>\n\n`;
};

const leftOut = (count: number, name: string): string =>
  `${count} more ${count === 1 ? 'part is' : 'parts are'} left out, because a comment has a limited length. Run the command \`${name}\` to see everything.\n`;

/**
 * Renders a document as Markdown for a comment on a pull request. In lines of sections, `(time)` replaces each time, so that
 * equal results give equal texts.
 *
 * @param limit - the maximum number of characters; parts that do not fit are left out, and the text says how many. @default
 *   {@link MARKDOWN_LIMIT}
 */
export const renderMarkdown = ({ name, summary, sections }: MarkdownDocument, limit = MARKDOWN_LIMIT): string => {
  const head = `<!-- cdk8s-reconcile ${name} -->\n**${literal(summary)}**\n\n`;
  const texts = sections.map(sectionText);
  let length = head.length + leftOut(texts.length, name).length;
  const shown = texts.filter((text) => {
    const fits = length + text.length <= limit;
    if (fits) length += text.length;
    return fits;
  });
  const rest = texts.length - shown.length;
  return `${(head + shown.join('')).trimEnd()}\n${rest === 0 ? '' : `\n${leftOut(rest, name)}`}`;
};
