/** A rule in the Common Expression Language. The API server evaluates it when a client writes an object. */
export interface Validation {
  /** The expression, such as `self.maxSurge > 0 || self.maxUnavailable > 0`; it must be true. */
  readonly rule: string;
  /** The message for the user when the rule fails, in one line. A rule of several lines requires a message. */
  readonly message?: string;
  /**
   * An expression that computes the message. If the evaluation fails, or the result is longer than 5 KiB, the API server uses
   * `message`.
   */
  readonly messageExpression?: string;
  /** @default 'FieldValueInvalid' */
  readonly reason?: 'FieldValueInvalid' | 'FieldValueRequired' | 'FieldValueForbidden' | 'FieldValueDuplicate';
  /** The field that the error names, relative to the schema with the rule, such as `.maxSurge`. */
  readonly fieldPath?: string;
  /**
   * Whether the API server evaluates the rule even without an old value. The rule must then handle `oldSelf` as an optional
   * value.
   */
  readonly optionalOldSelf?: boolean;
}

/** Options of every schema. */
export interface SchemaOptions {
  /** The meaning of the field, for `kubectl explain`. */
  readonly description?: string;
  /** CEL rules over this value, which is `self` in the rules. */
  readonly validations?: readonly Validation[];
}

/** Bounds of a string; lengths count Unicode characters. */
export interface StringBounds {
  readonly minLength?: number;
  readonly maxLength?: number;
  /**
   * A regular expression in RE2 syntax: no look-around, no back-references. The pattern may match a part of the string, unless
   * it contains anchors.
   */
  readonly pattern?: string;
  /** A format that the API server checks, such as `date-time`. The API server ignores unknown formats. */
  readonly format?: string;
}

/** Options of a string field. */
export interface StringOptions extends SchemaOptions, StringBounds {}

/** Options of an integer field; the bounds are inclusive. */
export interface IntegerOptions extends SchemaOptions {
  /** @default -2147483648 */
  readonly minimum?: number;
  /** @default 2147483647 */
  readonly maximum?: number;
  /** The value must be a multiple of this number. */
  readonly multipleOf?: number;
}

/** Options of a whole number of 64 bits; the bounds are inclusive. */
export interface Int64Options extends Omit<IntegerOptions, 'minimum' | 'maximum'> {
  /** @default -9007199254740991, the smallest safe integer of JavaScript */
  readonly minimum?: number;
  /** @default 9007199254740991, the largest safe integer of JavaScript */
  readonly maximum?: number;
}

/** Options of a duration in whole seconds; the bounds are inclusive. */
export interface SecondsOptions extends Omit<IntegerOptions, 'minimum' | 'multipleOf'> {
  /** @default 0 */
  readonly minimum?: number;
}

/** Options of a whole number that may also be written as a percentage. */
export interface IntOrPercentOptions extends SchemaOptions {
  /** The smallest whole number, inclusive. @default 0 */
  readonly minimum?: number;
  /** The largest whole number, inclusive. @default 2147483647 */
  readonly maximum?: number;
  /** The largest percentage: `100`, or `999` if more than 100 percent makes sense, as for a surge. @default 100 */
  readonly maximumPercent?: 100 | 999;
}

/** Options of a pod template. */
export interface PodTemplateOptions extends SchemaOptions {
  /** The allowed values of `spec.restartPolicy`. @default all values of Kubernetes */
  readonly restartPolicies?: readonly ['Always' | 'OnFailure' | 'Never', ...('Always' | 'OnFailure' | 'Never')[]];
  /** The maximum number of containers in a pod. @default 32 */
  readonly maxContainers?: number;
}

/** Options of all lists. */
export interface ListSchemaOptions extends SchemaOptions {
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Options of an object or a map. */
export interface ObjectOptions extends SchemaOptions {
  readonly minProperties?: number;
  readonly maxProperties?: number;
}
