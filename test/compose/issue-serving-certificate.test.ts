import { X509Certificate } from 'node:crypto'
import { connect, createServer } from 'node:tls'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { issueServingCertificate } from '../../src/compose/issue-serving-certificate.ts'
import { thrownBy } from '../support/thrown-by.ts'

const HOUR_MS = 3_600_000

test('issues a certificate for hosts, from its own CA', () => {
  const now = new Date()
  const issue = () =>
    issueServingCertificate({ hosts: ['127.0.0.1', 'localhost'], lifetimeMs: HOUR_MS, now })

  const [one, other] = [issue(), issue()]

  const certificate = new X509Certificate(one.certificate)
  const authority = new X509Certificate(one.certificateAuthority)
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(certificate.checkHost('localhost')).toBe('localhost')
  expect(certificate.checkHost('example.com')).toBeUndefined()
  expect(certificate.verify(authority.publicKey)).toBe(true)
  expect(authority.ca).toBe(true)
  expect(certificate.validToDate.getTime()).toBeLessThanOrEqual(now.getTime() + HOUR_MS)
  expect(other.certificateAuthority).not.toBe(one.certificateAuthority)
})

test('is trusted by clients that trust its CA', async () => {
  const { certificate, certificateAuthority, key } = issueServingCertificate({
    hosts: ['127.0.0.1'],
    lifetimeMs: HOUR_MS,
    now: new Date(),
  })
  const server = createServer({ cert: certificate, key }, (socket) => socket.end())
  onTestFinished(() => {
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  const socket = connect({ port, host: '127.0.0.1', ca: certificateAuthority })
  await once(socket, 'secureConnect')

  expect(socket.authorized).toBe(true)
  socket.destroy()
})

test('refuses a host that is none', () => {
  const options = { hosts: ['not a host'], lifetimeMs: HOUR_MS, now: new Date() }

  expect(thrownBy(() => issueServingCertificate(options)).code).toBe('INVALID_SPEC')
})
