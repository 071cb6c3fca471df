/// <reference lib="es2022.error" preserve="true" />
/** Marks every error of this library, so that {@link isReconcileError} also recognizes errors of another copy of the package. */
const brand: unique symbol = Symbol.for('cdk8s-reconcile.error');

/**
 * The base of every error that this library throws on purpose.
 *
 * Programs can rely on `code`, which is stable. The message is for users and may change.
 */
export class ReconcileError extends Error {
  /** A stable identifier in CamelCase, such as `InvalidDefinition`. For a response of the API server, it is the reason. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }

  get [brand](): true {
    return true;
  }
}

/**
 * Whether a caught value is an error of this library.
 *
 * @param value - anything that was caught
 * @returns true for instances of {@link ReconcileError}, also those of another copy of the package
 * @example
 * try { compileCrd(definition); } catch (error) { if (isReconcileError(error)) console.error(error.code); else throw error; }
 */
export const isReconcileError = (value: unknown): value is ReconcileError =>
  value instanceof Error && brand in value && value[brand] === true;

/** One problem of a value: its path, the problem, the value and the remedy. */
export interface Issue {
  /** JSON path from the root of the object, such as `spec.replicas` or `spec.steps[2].percent`; empty for the root. */
  readonly path: string;
  /** The problem and the allowed values, in one sentence without a full stop. */
  readonly message: string;
  /** The invalid value; absent when a value is missing. */
  readonly value?: unknown;
  /** The identifier of the violated rule, such as `list-map-keys`. It is stable, so that users can search for it. */
  readonly rule?: string;
  /** The remedy, if there is only one. */
  readonly fix?: string;
}

/** The longest text of an invalid value in a message, in characters. A longer text is cut, and ends with an ellipsis. */
const SHOWN_VALUE_LENGTH = 80;

const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A bigint, or an object that contains itself, cannot be converted to JSON.
    return String(value);
  }
};

const shown = (value: unknown): string => {
  const json = jsonOf(value);
  return json.length > SHOWN_VALUE_LENGTH ? `${json.slice(0, SHOWN_VALUE_LENGTH)}…` : json;
};

/**
 * Formats an issue as one line: path, problem, value, rule and remedy.
 *
 * @param issue - the issue
 * @returns for example `spec.replicas: must be >= 0 (value: -1)`
 */
export const formatIssue = (issue: Issue): string => {
  const value = 'value' in issue ? ` (value: ${shown(issue.value)})` : '';
  const rule = issue.rule === undefined ? '' : ` [${issue.rule}]`;
  const fix = issue.fix === undefined ? '' : `; ${issue.fix}`;
  return `${issue.path || '(root)'}: ${issue.message}${value}${rule}${fix}`;
};

const count = ({ length }: readonly unknown[]): string => (length === 1 ? '1 problem' : `${length} problems`);

/** Hides a member of an error from printing, because the message already contains the same issues. */
const hide = (error: Error, name: string, value: unknown): void => void Object.defineProperty(error, name, { value });

const withIssues = (headline: string, issues: readonly Issue[]): string =>
  [headline, ...issues.map((issue) => `  - ${formatIssue(issue)}`)].join('\n');

/** The most issues in a message. A function with a mistake may make the same mistake in ten thousand children. */
const FIRST_ISSUES = 20;

const withFirstIssues = (headline: string, issues: readonly Issue[]): string => {
  const rest = issues.length - FIRST_ISSUES;
  return withIssues(headline, issues.slice(0, FIRST_ISSUES)) + (rest > 0 ? `\n  - and ${rest} more` : '');
};

/** The definition of a kind breaks a rule or a convention for definitions. Only a change of the definition helps. */
export class InvalidDefinitionError extends ReconcileError {
  declare readonly issues: readonly Issue[];

  constructor(kind: string, issues: readonly Issue[]) {
    super('InvalidDefinition', withIssues(`Cannot compile kind "${kind}": ${count(issues)}`, issues));
    hide(this, 'issues', issues);
  }
}

/** The values of a custom resource do not match the schema of its kind. Only a change of the values helps. */
export class InvalidResourceError extends ReconcileError {
  declare readonly issues: readonly Issue[];

  constructor(subject: string, issues: readonly Issue[]) {
    super('InvalidResource', withIssues(`Invalid ${subject}: ${count(issues)}`, issues));
    hide(this, 'issues', issues);
  }
}

/** The properties of an operator, or the definitions of its kinds, are invalid. Only a change of them helps. */
export class InvalidOperatorError extends ReconcileError {
  declare readonly issues: readonly Issue[];

  /** @param subject - such as `Operator at construct path "app/operator"` */
  constructor(subject: string, issues: readonly Issue[]) {
    super('InvalidOperator', withIssues(`Invalid ${subject}: ${count(issues)}`, issues));
    hide(this, 'issues', issues);
  }
}

/** A definition cannot replace the released definition, because stored objects, manifests or programs would break. */
export class BreakingChangeError extends ReconcileError {
  declare readonly issues: readonly Issue[];

  /** @param subject - the refused part, such as `Operator at construct path "app/operator"` */
  constructor(subject: string, issues: readonly Issue[]) {
    super('BreakingChange', withIssues(`Cannot release ${subject}: ${count(issues)}`, issues));
    hide(this, 'issues', issues);
  }
}

/** The result of a function violates the rules for results. In a loop, only the resource of the call is affected. */
export class InvalidDesiredError extends ReconcileError {
  declare readonly issues: readonly Issue[];

  /** @param options - `from`: the name of the function. @default `desired()` */
  constructor(subject: string, issues: readonly Issue[], { from = 'desired()' }: { readonly from?: string } = {}) {
    super('InvalidDesired', withFirstIssues(`Cannot use the result of ${from} returned for ${subject}`, issues));
    hide(this, 'issues', issues);
  }
}

/**
 * A function of a kind read data that its definition does not declare. In a loop, only the resource of the call is affected.
 */
export class UndeclaredReadError extends ReconcileError {
  declare readonly issues: readonly Issue[];

  /** @param asked - the undeclared read, such as `children.of(Pod)` */
  constructor(asked: string, issues: readonly Issue[]) {
    super('UndeclaredRead', withIssues(`Cannot read ${asked}`, issues));
    hide(this, 'issues', issues);
  }
}

/** The difference between two results of an impure function: its path, and both values. */
export interface Impurity {
  /** The path in the result, such as `children[0].object.metadata.name`; empty for the whole result. */
  readonly path: string;
  readonly message: string;
  readonly first?: unknown;
  readonly again?: unknown;
}

/** A function of a kind gave two results for the same observation. The virtual cluster checks for this. */
export class ImpureFunctionError extends ReconcileError {
  declare readonly impurity: Impurity;
  /** @param what - the function and its resource, such as `desired() of PodSet "default/web"` */
  constructor(what: string, impurity: Impurity, options?: ErrorOptions) {
    const { path, message } = impurity;
    const values = 'first' in impurity ? `: first ${shown(impurity.first)}, then ${shown(impurity.again)}` : '';
    const issue: Issue = {
      path,
      message: `${message}${values}`,
      rule: 'pure-function',
      fix: 'compute it from the observation alone: names by freeSlots() or shortHash(), time from clock, nothing kept between calls',
    };
    super(
      'ImpureFunction',
      withIssues(`Cannot trust ${what}: the same observation gave two answers`, [issue]),
      options,
    );
    hide(this, 'impurity', impurity);
  }
}

/** A process or a function cannot work with its settings or options. Only a change of them, or of their environment, helps. */
export class ConfigurationError extends ReconcileError {
  constructor(message: string, options?: ErrorOptions) {
    super('Configuration', message, options);
  }
}

/** The API server could not be reached, or the connection broke before a response came. A retry may succeed. */
export class ConnectionError extends ReconcileError {
  constructor(message: string, options?: ErrorOptions) {
    super('Connection', message, options);
  }
}

/** No part of the request was sent, so it had no effect. A retry may succeed. */
export class NotSentError extends ConnectionError {}

/** This process does not lead, or its lease ends too soon, so another process may write. This process sends no write then. */
export class NotLeadingError extends ReconcileError {
  constructor(message: string) {
    super('NotLeading', message);
  }
}

/** The fields of a Kubernetes `Status` object that this library uses. */
export interface StatusDetails {
  /** HTTP status code, 400–599. */
  readonly httpStatus: number;
  /** The machine-readable reason, such as `NotFound`, `AlreadyExists`, `Conflict`, `Expired`, `Invalid`. */
  readonly reason: string;
  /** The message of the server. It may contain names of objects, so it must not be copied into a condition. */
  readonly message: string;
  /** The causes with their fields, if the server sent any. */
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  /** The delay that the server requests, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The object in the response, if there is one. `kind` is the plural name of the resource, or the kind. */
  readonly subject?: { readonly name: string; readonly kind?: string };
}

/** The API server responded with an error. `code` is its reason (`NotFound`, `Conflict`, …). */
export class ApiError extends ReconcileError {
  readonly httpStatus: number;
  readonly causes: NonNullable<StatusDetails['causes']>;
  readonly retryAfterMs: StatusDetails['retryAfterMs'];
  readonly subject: StatusDetails['subject'];
  readonly serverMessage: string;

  /** @param request - the request, such as `list podsets.app.example.com`; it starts the message */
  constructor(request: string, details: StatusDetails, options?: ErrorOptions) {
    super(details.reason, `Cannot ${request}: ${details.message} (${details.httpStatus} ${details.reason})`, options);
    this.httpStatus = details.httpStatus;
    this.causes = details.causes ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.subject = details.subject;
    this.serverMessage = details.message;
  }
}

/**
 * A simulation cannot begin or continue, because of an error in its options, its schedule, its scenario or a function.
 */
export class SimulationError extends ReconcileError {
  constructor(message: string, options?: ErrorOptions) {
    super('Simulation', message, options);
  }
}

/** The virtual API server refused a request in a simulation. The message names the request and the reason. */
export class RequestRefusedError extends SimulationError {
  /** The HTTP status code of the response, 400–599. */
  readonly httpStatus: number;
  /** The body of the response, which is a `Status`. */
  declare readonly status: Readonly<Record<string, unknown>>;

  constructor(message: string, answer: { readonly code: number; readonly body: RequestRefusedError['status'] }) {
    super(message);
    this.httpStatus = answer.code;
    hide(this, 'status', answer.body);
  }
}

/** A script of a simulation is malformed, or contains impossible changes. Only a change of the script helps. */
export class InvalidScriptError extends ReconcileError {
  declare readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super('InvalidScript', withFirstIssues(`Cannot simulate the script: ${count(issues)}`, issues));
    hide(this, 'issues', issues);
  }
}

/** A prediction or a replay is impossible: its input is incomplete or invalid. */
export class ForesightError extends ReconcileError {
  constructor(message: string, options?: ErrorOptions) {
    super('Foresight', message, options);
  }
}

/** A condition that should always hold does not hold. This is a bug of this library. */
export class InvariantError extends ReconcileError {
  constructor(message: string, options?: ErrorOptions) {
    super('Invariant', message, options);
  }
}
