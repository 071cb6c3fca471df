import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { group } from './definitions.ts';
import { compareTexts } from './order.ts';

interface Cause {
  readonly field?: string;
  readonly message?: string;
  readonly reason?: string;
}

const textOf = ({ field = '', message = '' }: Cause): string => `${field}: ${message}`;

/** The beginning of a message that ends with all causes; the whole message when it has another form. */
const sentence = (message: string, causes: readonly Cause[]): string => {
  const end = ` is invalid: [${[...new Set(causes.map(textOf))].join(', ')}]`;
  return message.endsWith(end) ? `${message.slice(0, -end.length)} is invalid: [all causes]` : message;
};

/** Sorts the errors of a typed patch: one per line, in random order. */
const orderLines = (message: string): string => {
  // The check of a map ends with its first unknown field, and the order is random.
  if (message.includes('field not declared in schema'))
    return message.replace(/: [^:]*(?:errors:\n|\.[^ ]+: )[\s\S]*$/, ': <undeclared fields>');
  if (!message.includes('errors:\n')) return message;
  const [head = '', ...lines] = message.split('\n');
  return [head, ...lines.toSorted(compareTexts)].join('\n');
};

/**
 * Whether the causes come in the order of a Go map: those of an invalid custom resource, and of conflicts of managers.
 */
const isChance = ({ reason, details }: { readonly reason: unknown; readonly details: JsonObject }): boolean =>
  (reason === 'Invalid' && details['group'] === group) || reason === 'Conflict';

/** Labels and similar maps are validated in the order of a Go map, and their errors only name the map's field. */
const sortWithinFields = (causes: readonly Cause[]): readonly Cause[] => {
  const fields = [...new Set(causes.map(({ field }) => field))];
  return fields.flatMap((field) =>
    causes.filter((cause) => cause.field === field).toSorted((a, b) => compareTexts(textOf(a), textOf(b))),
  );
};

/** Sorts causes that the real server lists in the order of a Go map. The order of other causes is compared. */
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
