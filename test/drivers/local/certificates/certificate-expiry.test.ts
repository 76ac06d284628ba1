import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { certificateExpiry } from '../../../../src/drivers/local/certificates/certificate-expiry.ts'
import { planeFolder } from '../../../../src/drivers/local/store/plane-folder.ts'
import { createAuthority } from '../../../../src/pki/issue/create-authority.ts'
import { temporaryFolder } from '../../../support/machine/temporary-folder.ts'

const [OLD, NEW] = [new Date('2026-01-01'), new Date('2027-01-01')]

test.for<[string, Record<string, Date[]>, string | undefined]>([
  ['nothing', {}, undefined],
  ['the earliest of several files', { 'ca.crt': [NEW], 'etcd/ca.crt': [OLD] }, '2035-12-30'],
  ['an old CA that is trusted, too', { 'ca.crt': [NEW, OLD] }, '2035-12-30'],
  ['nothing in a file without certificate', { 'ca.crt': [NEW], 'damaged.crt': [] }, '2036-12-29'],
])('finds %s', async ([, files, end]) => {
  await using root = await temporaryFolder()
  const folder = planeFolder(root.path)
  for (const [name, made] of Object.entries(files)) {
    const path = join(folder.pki, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, made.map(certificateOf).join(''))
  }

  expect(certificateExpiry(folder)?.toISOString().slice(0, 10)).toBe(end)
})

function certificateOf(now: Date): string {
  return createAuthority({ commonName: 'some', algorithm: 'ecdsa', now }).certificate
}
