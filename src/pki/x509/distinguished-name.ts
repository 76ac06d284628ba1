import { VplaneError } from '../../shared/errors.ts'
import type { Asn1 } from './der.ts'
import { objectIdentifier, sequence, setOf, utf8String } from './der.ts'

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'

/** A name in a certificate. To Kubernetes the common name of a client is its user, the organizations are its groups. */
export interface NameParts {
  commonName: string
  /** @default [] */
  organizations?: readonly string[]
}

/**
 * The X.501 name with these parts, each in a set of its own.
 *
 * @throws {VplaneError} `USAGE` when a part is empty, or has characters that readers of certificates disagree about.
 */
export function distinguishedName({ commonName, organizations = [] }: NameParts): Asn1 {
  return sequence([
    ...[...new Set(organizations)].map((name) => relativeName(ORGANIZATION, name)),
    relativeName(COMMON_NAME, commonName),
  ])
}

function relativeName(type: string, value: string): Asn1 {
  return setOf(sequence([objectIdentifier(type), utf8String(checked(value))]))
}

/** A NUL ends a name for some readers and not for others, which makes another user of it; so with broken Unicode. */
function checked(value: string): string {
  if (value === '' || !value.isWellFormed() || /\p{Cc}/u.test(value)) {
    const why = value === '' ? 'is empty' : 'has control characters or broken Unicode'
    throw new VplaneError('USAGE', `the certificate name ${JSON.stringify(value)} ${why}`)
  }
  return value
}
