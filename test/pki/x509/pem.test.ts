import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCertificates, toPem } from '../../../src/pki/x509/pem.ts'
import { AUTHORITY, authorityOf, leafOf } from '../fixtures.ts'

test('wraps bytes in lines of at most 64 characters', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 400 }), (bytes) => {
      const lines = toPem('THING', Buffer.from(bytes)).split('\n')

      expect(lines[0]).toBe('-----BEGIN THING-----')
      expect(lines.slice(-2)).toEqual(['-----END THING-----', ''])
      const body = lines.slice(1, -2)
      expect(body.slice(0, -1).every((line) => line.length === 64)).toBe(true)
      expect(body.at(-1)?.length).toBeLessThanOrEqual(64)
      expect(Buffer.from(body.join(''), 'base64')).toEqual(Buffer.from(bytes))
    }),
  )
})

test('reads every certificate of a bundle in order, whatever is between them', () => {
  const other = authorityOf('other-ca').certificate
  const bundle = `# ours\n${AUTHORITY.certificate}\n\n# theirs\n${other.replaceAll('\n', '\r\n')}`

  const subjects = parseCertificates(bundle, 'bundle.crt').map(({ subject }) => subject)

  expect(subjects).toEqual(['CN=some-ca', 'CN=other-ca'])
})

const MISSING = 'there is no certificate in "x.crt"'
const UNREADABLE = 'cannot read the certificate in "x.crt"'

test.for([
  ['nothing', '', MISSING],
  ['a key', AUTHORITY.key, MISSING],
  ['half a certificate', leafOf().certificate.slice(0, 300), MISSING],
  ['a hole in a certificate', leafOf().certificate.replace(/\n.{64}\n/, '\n'), UNREADABLE],
  ['no base64', '-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----\n', UNREADABLE],
] as const)('refuses %s and names the file', ([, text, message]) => {
  expect(() => parseCertificates(text, 'x.crt')).toThrow(
    expect.objectContaining({ code: 'FAILED', message }),
  )
})
