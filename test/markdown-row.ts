/** A row of a Markdown table. Numbers have separators of thousands. */
export const markdownRow = (cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => cell.toLocaleString('en')).join(' | ')} |`;
