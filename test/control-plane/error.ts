/** The cause of a failure of the harness itself; tests and scripts branch on this, never on the message. */
export type ControlPlaneErrorCode =
  | 'GO_MISSING'
  | 'GO_TOO_OLD'
  | 'BUILD_FAILED'
  | 'PORT_TAKEN'
  | 'COMPONENT_DIED'
  | 'NODE_IMPOSSIBLE'
  | 'NOT_STARTED'
  | 'NOT_READY'
  | 'REQUEST_FAILED'
  | 'UNKNOWN_USER'
  | 'UNKNOWN_VERSION'
  | 'AUDIT_OFF';

/** A failure of the harness, as opposed to one of the code under test. */
export class ControlPlaneError extends Error {
  override readonly name = 'ControlPlaneError';
  readonly code: ControlPlaneErrorCode;

  constructor(code: ControlPlaneErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
