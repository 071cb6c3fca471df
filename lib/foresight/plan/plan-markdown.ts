import { type MarkdownSection, renderMarkdown } from './markdown-document.ts';
import type { ChangePlan } from './plan-change.ts';
import { type PlanSection, planSections, planSummary } from './plan-in-words.ts';

/** Marks a changed line with `!`, because a diff has no sign for a changed line. The sign moves to the beginning of the line. */
const diffLine = (line: string): string => line.replace(/^( *)[~±]/, '$1!').replace(/^( +)([+!-])/, '$2$1');

/** A section of a plan as a section of a comment. */
export const diffSection = ({ title, lines }: PlanSection): MarkdownSection => ({ title, lines: lines.map(diffLine) });

/**
 * Formats a plan as a comment on a pull request.
 *
 * @param options - `details`: created objects and statuses field by field. @default false
 */
export const planMarkdown = (plan: ChangePlan, options: { readonly details?: boolean } = {}): string =>
  renderMarkdown({
    name: 'plan',
    summary: planSummary(plan),
    sections: planSections(plan, options).map(diffSection),
  });
