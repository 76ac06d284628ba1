import { expect, test } from 'vitest'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { memoryAccesses } from '../../../src/library/start/memory-accesses.ts'

const access = {
  server: 'https://127.0.0.1:20443',
  certificateAuthority: 'ca',
  certificate: 'certificate',
  key: 'key',
  expiresAt: new Date(),
}

test('keeps what it is given until it is told to forget it', async () => {
  const accesses = memoryAccesses()
  const [one, other] = [planeOf('one'), planeOf('other')]

  await accesses.write(one, access)

  expect(await accesses.read(one)).toEqual(access)
  expect(await accesses.read(other)).toBeUndefined()
  await accesses.remove(one)
  expect(await accesses.read(one)).toBeUndefined()
})

function planeOf(name: string) {
  return {
    driver: 'local' as const,
    name,
    id: name,
    createdAt: new Date(),
    writtenBy: '0.0.0',
    userSpec: {},
    spec: resolveSpec({}),
    desired: 'running' as const,
  }
}
