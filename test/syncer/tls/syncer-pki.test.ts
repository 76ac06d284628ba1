import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createAuthority } from '../../../src/pki/issue/create-authority.ts'
import { createSyncerPki } from '../../../src/pki/plane/plane-pki.ts'
import type { ServerTls } from '../../../src/syncer/tls/serve-tls.ts'
import { serveRenewed, SyncerPki } from '../../../src/syncer/tls/syncer-pki.ts'
import { inBackground } from '../../support/in-background.ts'
import { soon } from '../../support/soon.ts'

const common = { algorithm: 'ecdsa', now: new Date() } as const
const authority = createAuthority({ ...common, commonName: 'kubernetes' })
const filesNow = (): Record<string, string> => ({
  ...createSyncerPki({ ...common, authority, serverSans: ['localhost'] }),
  'front-proxy-ca.crt': 'of the front proxy',
})

/** A volume as kubelets make them, and what is brought to it later. */
function volume() {
  const folder = mkdtempSync(join(tmpdir(), 'vplane-syncer-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  let versions = 0
  const bring = (files: Record<string, string>) => {
    versions += 1
    const version = join(folder, `..${versions}`)
    mkdirSync(version)
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(version, name), text)
    }
    symlinkSync(version, join(folder, '..data_tmp'))
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'))
    return files
  }
  return { folder, bring }
}

test('is whom the files in the pod name, and whom they name when they are renewed', async () => {
  const { bring, folder } = volume()
  const first = bring(filesNow())
  const pki = await SyncerPki.open(folder)
  expect(await pki.credentials().current()).toEqual({
    certificateAuthority: first['syncer-ca.crt'],
    certificate: first['syncer.crt'],
    key: first['syncer.key'],
  })
  expect(await pki.refresh()).toBe(false)

  const next = bring(filesNow())

  expect(await pki.refresh()).toBe(true)
  expect(await pki.credentials().current()).toMatchObject({ certificate: next['syncer.crt'] })
})

test('looks at once when it is refused', async () => {
  const { bring, folder } = volume()
  bring(filesNow())
  const source = (await SyncerPki.open(folder)).credentials()
  const refused = await source.current()
  expect(await source.renew(refused)).toBe(false)

  bring(filesNow())

  expect(await source.renew(refused)).toBe(true)
})

test('takes up what is renewed while it runs, and nothing that does not fit together', async () => {
  const { bring, folder } = volume()
  const first = bring(filesNow())
  const pki = await SyncerPki.open(folder)
  const said: string[] = []
  const onRenewed = () => said.push('renewed')
  const onError = (error: unknown) => said.push(String(error))
  inBackground((signal) => pki.run({ onRenewed, onError, everyMs: 5 }, signal))
  const until = (what: string) => soon(what, () => said.some((one) => one.includes(what)))

  bring({ ...filesNow(), 'syncer.key': first['syncer.key'] ?? '' })
  await until('the key of "syncer.crt" does not match the certificate')
  expect(pki.current.certificate).toBe(first['syncer.crt'])
  const next = bring(filesNow())
  await until('renewed')

  expect(pki.current.certificate).toBe(next['syncer.crt'])
})

test('serves with what is renewed, until the server is closed', async () => {
  const { bring, folder } = volume()
  const first = bring(filesNow())
  const pki = await SyncerPki.open(folder)
  const served: ServerTls[] = []
  const server = await serveRenewed(pki, 'frontProxyAuthority', async (tls) => {
    served.push(tls)
    return { setTls: (next) => served.push(next), [Symbol.asyncDispose]: async () => {} }
  })

  const next = bring(filesNow())
  await pki.refresh()
  await server[Symbol.asyncDispose]()
  bring(filesNow())
  await pki.refresh()

  expect(served).toEqual(
    [first, next].map((files) => ({
      certificate: files['syncer-server.crt'],
      key: files['syncer-server.key'],
      authorities: 'of the front proxy',
    })),
  )
})
