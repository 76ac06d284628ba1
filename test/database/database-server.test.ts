import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabaseServer } from '../../src/database/database-server.ts'
import { newPlaneDatabase } from '../../src/database/dialect/plane-database.ts'
import { endsWithTest } from '../support/ends-with-test.ts'
import { freePort } from '../support/machine/free-port.ts'
import { temporaryFolder } from '../support/machine/temporary-folder.ts'
import { rejectionOf } from '../support/thrown-by.ts'

const GOOD = 'username: owner\npassword: hush-5c1d\n'

test.for([
  ['that others can read', GOOD, 0o644, 'other users of this machine can read'],
  ['without a password', 'username: owner\n', 0o600, '"username" and "password"'],
  ['with a number as password', 'username: owner\npassword: 12\n', 0o600, '"password"'],
  ['that is no YAML', 'password: "hush-5c1d', 0o600, ''],
] as const)('refuses a file of credentials %s', async ([, text, mode, message]) => {
  const error = await rejectionOf(openDatabaseServer(await factsWith(text, mode)))

  expect(error.message).toContain(message)
  expect(error.message + error.hints.join()).not.toContain('hush-5c1d')
})

test.for(['credentialsFile', 'caFile'])('names the missing file of %s', async (field) => {
  const facts = { ...(await factsWith(GOOD, 0o600)), [field]: '/nowhere/file' }

  const error = await rejectionOf(openDatabaseServer(facts))

  expect(error).toMatchObject({ code: 'FAILED' })
  expect(error.message).toContain('/nowhere/file')
})

test('refuses a file of CAs without a certificate', async () => {
  const facts = await factsWith(GOOD, 0o600)
  const caFile = `${facts.credentialsFile}.pem`
  await writeFile(caFile, '')

  const error = await rejectionOf(openDatabaseServer({ ...facts, caFile }))

  expect(error).toMatchObject({ code: 'FAILED' })
  expect(error.message).toBe(`there is no certificate in "${caFile}"`)
})

test.for([
  ['postgres', 'PostgreSQL'],
  ['mysql', 'MySQL'],
] as const)('names a server of %s that does not answer', async ([kind, title]) => {
  const facts = { ...(await factsWith(GOOD, 0o600)), kind }

  const error = await rejectionOf(openDatabaseServer(facts))

  expect(error).toMatchObject({ code: 'UNREACHABLE' })
  expect(error.message).toContain(`cannot connect to ${title} at 127.0.0.1:${facts.port}`)
})

async function factsWith(text: string, mode: number) {
  const { path } = endsWithTest(await temporaryFolder())
  const credentialsFile = join(path, 'owner.yaml')
  await writeFile(credentialsFile, text, { mode })
  const server = { kind: 'postgres', host: '127.0.0.1', port: await freePort() } as const
  return newPlaneDatabase('dev', { ...server, credentialsFile })
}
