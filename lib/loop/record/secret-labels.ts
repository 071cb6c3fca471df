import type { Immutable, OwnedFields, Pin } from '#lib/plan/pin.ts';
import { withoutSecretValues } from '#lib/plan/secret.ts';

/** Hides what Secrets hold behind labels that are equal for equal values: all that functions and plans need to know of them. */
export interface SecretLabels {
  /** Any object; only Secrets become others. */
  readonly object: <O extends object>(object: O) => O;
  /** What is owned of a Secret. */
  readonly owned: (owned: OwnedFields) => OwnedFields;
  /** What a Secret was pinned to. */
  readonly pin: (pin: Pin) => Pin;
  /** What a Secret could not become. */
  readonly immutable: (immutable: Immutable) => Immutable;
}

/**
 * Labels of one record, counted in the order in which values are met. A hash, salted or not, would be with the record for ever, and all else that is
 * hashed stands beside it.
 */
export const secretLabels = (): SecretLabels => {
  const met = new Map<string, number>();
  const numberOf = (value: unknown): number => {
    const text = JSON.stringify(value) ?? '';
    const number = met.get(text) ?? met.size + 1;
    met.set(text, number);
    return number;
  };
  const labelOf = (value: unknown): string => `(redacted ${numberOf(value)})`;
  const owned = ({ set, values }: OwnedFields): OwnedFields => ({ set, values: numberOf(values) });
  return {
    object: (object) => withoutSecretValues(object, labelOf),
    owned,
    pin: ({ intent, owned: pinned }) => ({ intent: labelOf(intent), ...(pinned && { owned: owned(pinned) }) }),
    immutable: ({ intent, fields }) => ({ intent: labelOf(intent), fields }),
  };
};
