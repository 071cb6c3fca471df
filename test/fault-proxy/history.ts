/** Answers to lists, and the initial events of watches, kept for later. */
export interface AnswerHistory {
  /** Keeps an answer to a question. */
  readonly keep: (question: string, answer: string) => void;
  /** The answer from so many answers ago, 1 the last; undefined when there were not so many. */
  readonly recall: (question: string, back: number) => string | undefined;
}

/** How many answers to one question are kept. */
const DEPTH = 8;

/** An empty history. */
export const createHistory = (): AnswerHistory => {
  const answers = new Map<string, string[]>();
  return {
    keep: (question, answer) => {
      answers.set(question, [...(answers.get(question) ?? []), answer].slice(-DEPTH));
    },
    recall: (question, back) => answers.get(question)?.at(-back),
  };
};
