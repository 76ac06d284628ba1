import { expect, test } from 'vitest'
import {
  ENCRYPTION_FILE,
  encryptionConfiguration,
  encryptionKey,
  encryptionKeysOf,
} from '../../../src/control-plane/components/encryption-configuration.ts'
import type { PkiFiles } from '../../../src/pki/plane/certificate-expiry.ts'
import {
  ENCRYPTION_KEY_STAGES,
  encryptionKeyStage,
} from '../../../src/pki/rotation/encryption-key-stages.ts'

const { complete, prepare, switch: toNew } = ENCRYPTION_KEY_STAGES

// The tenth key is where numbers and words are sorted differently.
test.for([
  [1, 2],
  [9, 10],
] as const)('reads with both, then writes with the new one: from key %i to %i', ([from, to]) => {
  const key = encryptionKey(Buffer.alloc(32, 7), { number: from })
  const before = { 'ca.key': 'another', [ENCRYPTION_FILE]: encryptionConfiguration([key]) }
  const prepared = prepare(before)
  const switched = toNew(prepared)
  const completed = complete(switched)

  const stages = [before, prepared, switched, completed]
  const [old, added] = [`key-${from}`, `key-${to}`]
  expect(stages.map(namesIn)).toEqual([[old], [old, added], [added, old], [added]])
  expect(stages.map(encryptionKeyStage)).toEqual([undefined, 'prepare', 'switch', undefined])
  expect(completed['ca.key']).toBe('another')
  expect(keysIn(switched)[1]).toEqual(key)
  expect(keysIn(completed)[0]?.secret).not.toBe(key.secret)
})

test('keeps every existing key until the last stage, whichever stage preceded', () => {
  const key = encryptionKey(Buffer.alloc(32, 7))
  const before = { [ENCRYPTION_FILE]: encryptionConfiguration([key]) }

  const again = prepare(toNew(prepare(before)))
  const twice = toNew(toNew(again))

  expect(namesIn(again)).toEqual(['key-2', 'key-1', 'key-3'])
  expect(encryptionKeyStage(again)).toBe('prepare')
  expect(namesIn(twice)).toEqual(['key-3', 'key-2', 'key-1'])
  expect(keysIn(twice).at(-1)).toEqual(key)
  expect(encryptionKeyStage(twice)).toBe('switch')
  expect(namesIn(complete(twice))).toEqual(['key-3'])
})

test('is at no stage where Secrets are not encrypted', () => {
  expect(encryptionKeyStage({})).toBeUndefined()
  expect(() => prepare({})).toThrow('"encryption.json" is missing')
})

function namesIn(files: PkiFiles): string[] {
  return keysIn(files).map(({ name }) => name)
}

function keysIn(files: PkiFiles) {
  return encryptionKeysOf(files[ENCRYPTION_FILE] ?? '')
}
