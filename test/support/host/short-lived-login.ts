import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { issueCertificate } from '../../../src/pki/issue/issue-certificate.ts'

/**
 * A credential plugin whose certificates live for seconds, as a program: `node short-lived-login.ts FOLDER SECONDS`. In
 * the folder are `ca.crt` and `ca.key` of the host; while there is a file `locked`, a login is needed. Each certificate
 * is a line of `log`, with the time at which it ends.
 */
function main([folder = '', seconds = '']: readonly string[]): void {
  if (existsSync(`${folder}/locked`)) {
    process.stderr.write('the session has ended: run "corp login"\n')
    process.exitCode = 1
    return
  }
  const authority = {
    certificate: readFileSync(`${folder}/ca.crt`, 'utf8'),
    key: readFileSync(`${folder}/ca.key`, 'utf8'),
  }
  const lifetimeMs = Number(seconds) * 1000
  const now = new Date()
  const { certificate, key } = issueCertificate(authority, {
    commonName: 'short-lived-admin',
    organizations: ['system:masters'],
    usages: ['clientAuth'],
    lifetimeMs,
    algorithm: 'ecdsa',
    now,
  })
  const expirationTimestamp = new Date(now.getTime() + lifetimeMs).toISOString()
  appendFileSync(`${folder}/log`, `${expirationTimestamp}\n`)
  process.stdout.write(
    JSON.stringify({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { clientCertificateData: certificate, clientKeyData: key, expirationTimestamp },
    }),
  )
}

main(process.argv.slice(2))
