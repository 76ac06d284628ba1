import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KubeconfigEntry } from '../../../../src/kube/host/kubeconfig/kubeconfig-entry.ts'
import { storedCredential } from '../../../../src/kube/host/kubeconfig/stored-credential.ts'
import { thrownBy } from '../../../support/thrown-by.ts'
import { base64, makeFolder, userOf } from '../kubeconfigs.ts'

const CERTIFICATE = { 'client-certificate-data': base64('cert') }
const KEY = { 'client-key-data': base64('key') }

test.for([
  [{}, {}],
  [{ token: 'abc' }, { authorization: 'Bearer abc' }],
  [{ username: 'jo', password: 'pä:ss' }, { authorization: `Basic ${base64('jo:pä:ss')}` }],
  [{ username: 'jo' }, { authorization: `Basic ${base64('jo:')}` }],
  [
    { ...CERTIFICATE, ...KEY },
    { certificate: 'cert', key: 'key' },
  ],
  [
    { ...CERTIFICATE, ...KEY, token: 'abc' },
    { certificate: 'cert', key: 'key', authorization: 'Bearer abc' },
  ],
] as const)('reads %j', async ([fields, credential]) => {
  expect(await storedCredential(userOf(fields))()).toEqual(credential)
})

test('reads files again each time', async () => {
  await using folder = await makeFolder()
  const files = { 'client-certificate': 'cert', 'client-key': 'key', tokenFile: 'token' }
  const user = new KubeconfigEntry('user "u"', join(folder.path, 'config'), files)
  const write = (number: number) =>
    Promise.all(['cert', 'key', 'token'].map((name) => folder.write(name, `${name}-${number}\n`)))
  await write(1)
  const read = storedCredential(user)

  expect(await read()).toEqual({
    certificate: 'cert-1\n',
    key: 'key-1\n',
    authorization: 'Bearer token-1',
  })
  await write(2)
  expect(await read()).toMatchObject({ key: 'key-2\n', authorization: 'Bearer token-2' })
})

test('prefers the token in the file if the file exists', async () => {
  await using folder = await makeFolder()
  const tokenFile = await folder.write('token', 'new')
  const read = storedCredential(userOf({ token: 'old', tokenFile }))

  expect(await read()).toEqual({ authorization: 'Bearer new' })
  await rm(tokenFile)
  expect(await read()).toEqual({ authorization: 'Bearer old' })
})

test('names the file that cannot be read', async () => {
  const user = userOf({ ...CERTIFICATE, 'client-key': '/none/key' })

  await expect(storedCredential(user)()).rejects.toMatchObject({
    code: 'FAILED',
    message: 'cannot read the client key of user "u": no such file or folder: "/none/key"',
    hints: ['ls -l /none/key'],
  })
})

test.for([
  [CERTIFICATE, 'it has a client certificate or a client key, not both'],
  [KEY, 'it has a client certificate or a client key, not both'],
  [{ token: 'a', username: 'jo' }, 'it has both a token and a password'],
  [{ 'auth-provider': { name: 'gcp' } }, 'it uses "auth-provider"'],
] as const)('refuses %j', ([fields, why]) => {
  const error = thrownBy(() => storedCredential(userOf(fields)))

  expect(error.code).toBe('FAILED')
  expect(error.message).toContain(`user "u" in "/home/jo/.kube/config": ${why}`)
})
