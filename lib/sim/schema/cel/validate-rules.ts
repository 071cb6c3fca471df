import type { FieldError } from '#lib/sim/machinery/field-error.ts';
import type { Schema } from '#lib/sim/machinery/schema.ts';
export const validateRules = (
  _schema: Schema,
  _object: unknown,
  _options: { readonly old?: unknown; readonly skip?: boolean },
): readonly FieldError[] | 'skipped' => [];
