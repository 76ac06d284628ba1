import { createHash } from 'node:crypto'

/** What `mysql_native_password` stores of a password: so that a statement does not have it, which a server may log. */
export function nativeVerifier(password: string): string {
  const digest = (value: string | Buffer) => createHash('sha1').update(value).digest()
  return `*${digest(digest(password)).toString('hex').toUpperCase()}`
}
