import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAuthority } from '../../../src/pki/issue/create-authority.ts'
import { expiriesIn } from '../../../src/pki/x509/expiry.ts'
import { parseCertificates } from '../../../src/pki/x509/pem.ts'
import { AUTHORITY } from '../fixtures.ts'

test.for(['1960-02-29', '1999-12-31', '2026-11-25', '2039-12-30', '2045-06-01', '2070-01-01'])(
  'reads the same expiries as Node.js of a bundle with a certificate of %s',
  (day) => {
    const options = { commonName: 'some', algorithm: 'ecdsa', now: new Date(day) } as const
    const bundle = `text before\n${createAuthority(options).certificate}${AUTHORITY.certificate}`

    const expected = parseCertificates(bundle, 'some').map(({ validToDate }) => validToDate)

    expect(expiriesIn(bundle)).toEqual(expected)
  },
)

test('refuses a damaged certificate, or reads a time', () => {
  const whole = Buffer.from(AUTHORITY.certificate.replaceAll(/-----[^-]+-----|\n/g, ''), 'base64')
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
      const base64 = Buffer.from(whole)
        .fill(byte, at, at + 1)
        .toString('base64')
      const read = () =>
        expiriesIn(`-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`)

      try {
        expect(read().map((time) => time.getTime())).toEqual([expect.any(Number)])
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }),
    { numRuns: 2000 },
  )
})
