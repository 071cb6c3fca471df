/**
 * Matches blocks of code, inline code, HTML comments, links and pictures. Code is an alternative so that links within code are
 * not matched.
 */
const PARTS =
  /(?<code>^(?<fence>`{3,})[^]*?^\k<fence>$|(?<ticks>`+)(?!`)[^]*?(?<!`)\k<ticks>(?!`))|(?<comment><!--[^]*?-->)|(?<mark>!?)\[(?<text>(?:[^[\]]|\[[^\]]*\])*)\]\((?<target>[^)\s]+)\)/gm;

/** A link or a picture of a page. */
export interface MarkdownLink {
  readonly text: string;
  readonly target: string;
  readonly isPicture: boolean;
}

/**
 * Replaces the links and pictures of a page, and removes HTML comments. Code does not change.
 *
 * @param replace - returns the Markdown that replaces a link
 */
export const withLinks = (markdown: string, replace: (link: MarkdownLink) => string): string =>
  markdown.replaceAll(PARTS, (...found) => {
    const groups = found.at(-1) as Readonly<Record<string, string | undefined>>;
    const { code, comment, text = '', target = '', mark } = groups;
    if (code !== undefined) return code;
    return comment === undefined ? replace({ text, target, isPicture: mark === '!' }) : '';
  });

/** The anchor that GitHub gives a heading: https://gist.github.com/asabaylus/3071099 */
export const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const withoutBlocks = (markdown: string): string => markdown.replaceAll(/^(`{3,})[^]*?^\1$/gm, '');

const headingsOf = (markdown: string): readonly string[] =>
  [...withoutBlocks(markdown).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);

/** The anchors of the headings of a page. From the second occurrence of an anchor, a number is added. */
export const anchorsOf = (markdown: string): readonly string[] => {
  const seen = new Map<string, number>();
  return headingsOf(markdown).map((heading) => {
    const anchor = anchorOf(heading);
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
};

/** The first heading of a page, without its markup; an empty string if the page has no heading. */
export const titleOf = (markdown: string): string =>
  (headingsOf(markdown)[0] ?? '').replaceAll(/\[([^\]]*)\]\([^)]*\)|[`*]/g, '$1');

const SHORT = 60;

/**
 * The first sentence of the first paragraph, without links and bold type. If the sentence is short, the second one is added.
 */
export const summaryOf = (markdown: string): string => {
  const prose = withLinks(withoutBlocks(markdown), ({ text }) => text);
  const paragraph = prose.split(/\n{2,}/).find((part) => /^[^#|>\-\s]/.test(part)) ?? '';
  const [first = '', second = ''] = paragraph.replaceAll(/\s+/g, ' ').split(/(?<=[.!?]) (?=\p{Lu})/u);
  return (first.length < SHORT ? `${first} ${second}`.trim() : first).replaceAll('**', '');
};
