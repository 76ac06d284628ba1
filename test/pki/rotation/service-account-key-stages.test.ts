import { createPrivateKey, createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  SERVICE_ACCOUNT_KEY_STAGES,
  serviceAccountKeyStage,
} from '../../../src/pki/rotation/service-account-key-stages.ts'
import { createServiceAccountKeys } from '../../../src/pki/plane/service-account-keys.ts'

const { complete, prepare, switch: toNew } = SERVICE_ACCOUNT_KEY_STAGES

test('verifies with both, signs with the new one, and removes the old one, in this order', async () => {
  const before = { ...(await createServiceAccountKeys()), 'ca.key': 'another' }
  const prepared = await prepare(before)
  const switched = await toNew(prepared)
  const completed = await complete(switched)

  const [old, added] = [publicOf(before['sa.key']), publicOf(prepared['next/sa.key'])]
  const stages = [before, prepared, switched, completed].map(serviceAccountKeyStage)
  expect(stages).toEqual([undefined, 'prepare', 'switch', undefined])
  expect(prepared).toMatchObject({ 'sa.key': before['sa.key'], 'sa.pub': old + added })
  expect(switched['sa.pub']).toBe(added + old)
  expect(publicOf(switched['sa.key'])).toBe(added)
  expect(completed).toEqual({ 'ca.key': 'another', 'sa.key': switched['sa.key'], 'sa.pub': added })
})

test('is prepared no more when the next key is gone, as in a plane made of a bundle: complete keeps what signs', async () => {
  const { 'next/sa.key': _, ...restored } = await prepare({ ...(await createServiceAccountKeys()) })

  const completed = await complete(restored)

  expect(completed['sa.pub']).toBe(publicOf(restored['sa.key']))
})

test('names the missing key', () => {
  expect(() => complete({})).toThrow('"sa.key" is missing')
})

function publicOf(key: string | undefined): string {
  const parsed = createPublicKey(createPrivateKey(key ?? ''))
  return parsed.export({ type: 'spki', format: 'pem' }).toString()
}
