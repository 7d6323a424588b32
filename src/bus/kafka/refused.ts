import { isProoflineError, ProoflineError } from '../../contracts/errors.js';
import { causesOf, isTooLarge } from './kafka-errors.js';

/** What the brokers and this client cannot agree on by waiting: who it is, what it may do, whom it trusts. */
const REFUSED_TYPES: ReadonlySet<string> = new Set([
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'ILLEGAL_SASL_STATE',
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
]);
const SASL_ERROR = 'KafkaJSSASLAuthenticationError';
/** Codes of OpenSSL and of Node about a certificate that is not trusted, or about TLS itself. */
const TLS_CODE =
  /^(?:ERR_(?:SSL|TLS|OSSL)_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(?:CA|PURPOSE)|HOSTNAME_MISMATCH|EPROTO)/;

const TOO_LARGE = 'the broker refuses a record for its size; max.message.bytes of a topic is too low';

/** `address:error:number:library:function:reason:file:line:` */
const OPENSSL = /[0-9A-F]{8,}:error:[0-9A-F]+:([^:]*):[^:]*:([^:]*):[^]*$/;

/** The error as one of the table: PL_BUS_REFUSED or PL_TOPICS_UNUSABLE where waiting does not help, else PL_BUS_DOWN. */
export function busError(error: unknown): ProoflineError {
  if (isProoflineError(error)) return error;
  if (isTooLarge(error))
    return new ProoflineError('PL_TOPICS_UNUSABLE', { problems: TOO_LARGE }, { cause: error });
  const problem = (error instanceof Error ? error.message : String(error)).replace(OPENSSL, '$1: $2');
  return new ProoflineError(
    isRefused(error) ? 'PL_BUS_REFUSED' : 'PL_BUS_DOWN',
    { problem },
    { cause: error },
  );
}

export function isRefused(error: unknown): boolean {
  return causesOf(error).some(
    ({ name, type, code }) =>
      name === SASL_ERROR ||
      REFUSED_TYPES.has(String(type)) ||
      (typeof code === 'string' && TLS_CODE.test(code)),
  );
}
