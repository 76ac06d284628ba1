import { VplaneError } from '../../shared/errors.ts'
import { type Asn1, objectIdentifier, sequence, setOf, utf8String } from './der.ts'

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'

/**
 * The X.501 name of a client or server, each part in its own set. Kubernetes reads the common name as the user, and the
 * organizations as the groups.
 *
 * @throws {VplaneError} `USAGE` when a part is empty, or has characters that some readers of certificates misinterpret.
 */
export function distinguishedName(commonName: string, organizations: readonly string[] = []): Asn1 {
  return sequence([
    ...[...new Set(organizations)].map((name) => relativeName(ORGANIZATION, name)),
    relativeName(COMMON_NAME, commonName),
  ])
}

function relativeName(type: string, value: string): Asn1 {
  return setOf(sequence([objectIdentifier(type), utf8String(checked(value))]))
}

/** A NUL ends a name for some readers only, which then read another user; the same applies to broken Unicode. */
function checked(value: string): string {
  if (value === '' || !value.isWellFormed() || /\p{Cc}/u.test(value)) {
    const reason = value === '' ? 'is empty' : 'has control characters or broken Unicode'
    throw new VplaneError('USAGE', `the certificate name ${JSON.stringify(value)} ${reason}`)
  }
  return value
}
