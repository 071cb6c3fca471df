import { isPlainObject, type JsonObject } from '#lib/json.ts';
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

/** Whether all causes come in the order of a Go map: of an invalid custom resource, of conflicts of managers. */
const isChance = ({ reason, details }: { readonly reason: unknown; readonly details: JsonObject }): boolean =>
  (reason === 'Invalid' && details['group'] === group) || reason === 'Conflict';

/** Labels and their like are validated in the order of a Go map, and their errors tell the map's field only. */
const sortWithinFields = (causes: readonly Cause[]): readonly Cause[] => {
  const fields = [...new Set(causes.map(({ field }) => field))];
  return fields.flatMap((field) =>
    causes.filter((cause) => cause.field === field).toSorted((a, b) => compareTexts(textOf(a), textOf(b))),
  );
};

/** Sorts what the real server says in the order of a Go map. The order of other causes counts. */
export const orderCauses = (status: JsonObject): JsonObject => {
  const { kind, details, message, reason } = status;
  if (kind !== 'Status' || typeof message !== 'string') return status;
  const lines = { ...status, message: orderLines(message) };
  if (!isPlainObject(details) || !Array.isArray(details['causes'])) return lines;
  const causes = details['causes'] as readonly Cause[];
  return {
    ...lines,
    message: causes.length > 1 ? sentence(message, causes) : lines.message,
    details: {
      ...details,
      causes: isChance({ reason, details })
        ? causes.toSorted((a, b) => compareTexts(textOf(a), textOf(b)))
        : sortWithinFields(causes),
    },
  };
};
