import { isPlainObject, type JsonObject } from '#lib/kind/json.ts';
import { group } from './definitions.ts';
import { compareTexts } from './order.ts';

interface Cause {
  readonly field?: string;
  readonly message?: string;
  readonly reason?: string;
}

const textOf = ({ field = '', message = '' }: Cause): string => `${field}: ${message}`;

/** The sentence that ends with all causes, without them; whole when it is not made like that. */
const sentence = (message: string, causes: readonly Cause[]): string => {
  const end = ` is invalid: [${[...new Set(causes.map(textOf))].join(', ')}]`;
  return message.endsWith(end) ? `${message.slice(0, -end.length)} is invalid: [all causes]` : message;
};

/** Errors of a typed patch: one per line, in an order that is chance. */
const orderLines = (message: string): string => {
  // The look at a map ends with the first field that its schema does not know, and its order is chance.
  if (message.includes('field not declared in schema'))
    return message.replace(/: [^:]*(?:errors:\n|\.[^ ]+: )[\s\S]*$/, ': <undeclared fields>');
  if (!message.includes('errors:\n')) return message;
  const [head = '', ...lines] = message.split('\n');
  return [head, ...lines.toSorted(compareTexts)].join('\n');
};

const isChance = ({ reason, details }: { readonly reason: unknown; readonly details: JsonObject }): boolean =>
  (reason === 'Invalid' && details['group'] === group) || reason === 'Conflict';

/**
 * Sorts what the real server says in the order of a Go map: causes of an invalid custom resource, conflicts of managers.
 * The order of other causes counts.
 */
export const orderCauses = (status: JsonObject): JsonObject => {
  const { kind, details, message, reason } = status;
  if (kind !== 'Status' || typeof message !== 'string') return status;
  const lines = { ...status, message: orderLines(message) };
  if (!isPlainObject(details) || !Array.isArray(details['causes']) || !isChance({ reason, details })) return lines;
  const causes = details['causes'] as readonly Cause[];
  return {
    ...status,
    message: causes.length > 1 ? sentence(message, causes) : message,
    details: { ...details, causes: causes.toSorted((a, b) => compareTexts(textOf(a), textOf(b))) },
  };
};
