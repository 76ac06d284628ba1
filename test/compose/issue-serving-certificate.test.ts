import { X509Certificate } from 'node:crypto'
import { connect, createServer } from 'node:tls'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { issueServingCertificate } from '../../src/compose/issue-serving-certificate.ts'
import { thrownBy } from '../support/thrown-by.ts'

const OPTIONS = { hosts: ['127.0.0.1'], lifetimeMs: 3_600_000, now: new Date() }

test('issues a certificate for hosts, from its own CA', () => {
  const options = { ...OPTIONS, hosts: ['127.0.0.1', 'localhost'] }

  const [one, other] = [issueServingCertificate(options), issueServingCertificate(options)]

  const certificate = new X509Certificate(one.certificate)
  const authority = new X509Certificate(one.certificateAuthority)
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(certificate.checkHost('localhost')).toBe('localhost')
  expect(certificate.checkHost('example.com')).toBeUndefined()
  expect(certificate.verify(authority.publicKey)).toBe(true)
  expect(authority.ca).toBe(true)
  const expiresAt = OPTIONS.now.getTime() + OPTIONS.lifetimeMs
  expect(certificate.validToDate.getTime()).toBeLessThanOrEqual(expiresAt)
  expect(other.certificateAuthority).not.toBe(one.certificateAuthority)
})

test('is trusted by clients that trust its CA', async () => {
  const { certificate, certificateAuthority, key } = issueServingCertificate(OPTIONS)
  const server = createServer({ cert: certificate, key }, (socket) => socket.end())
  onTestFinished(() => void server.close())
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
  const options = { ...OPTIONS, hosts: ['not a host'] }

  expect(thrownBy(() => issueServingCertificate(options)).code).toBe('INVALID_SPEC')
})
