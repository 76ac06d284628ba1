import { expect, test } from 'vitest'
import { type KeyMove, moveKeys } from '../../../src/backup/logical/move-keys.ts'
import { inOrder, logicalKeysOf } from '../../support/data/logical-keys.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const HERE = { from: '/vplane/dev-1234', to: '/registry' }

test('moves keys to another prefix, with their values and lives', async () => {
  const keys = logicalKeysOf([
    ['/vplane/dev-1234/events/default/a', 'one', 60],
    ['/vplane/dev-1234/secrets/default/b', 'k8s:enc:secretbox:v1:key-1:hush'],
  ])

  expect(await moved(keys, HERE)).toEqual(
    logicalKeysOf([
      ['/registry/events/default/a', 'one', 60],
      ['/registry/secrets/default/b', 'k8s:enc:secretbox:v1:key-1:hush'],
    ]),
  )
})

test.for(['/registry/secrets/a', '/vplane/dev-12345/secrets/a', '/vplane/dev-1234'])(
  'refuses the key %s, which is not below the prefix',
  async (key) => {
    const keys = logicalKeysOf([[key, 'hush']])
    const error = await rejectionOf(moved(keys, HERE))
    const guessed = await rejectionOf(moved(keys, { ...HERE, isGuessed: true }))

    expect(error).toMatchObject({ code: 'FAILED', hints: [] })
    expect(guessed.hints).toEqual([expect.stringContaining('take a logical snapshot')])
    expect(error.message).toBe(`the snapshot has the key "${key}", which is not below ${HERE.from}`)
  },
)

test('refuses a value that kube-apiserver can read only with its former key', async () => {
  const keys = logicalKeysOf([[`${HERE.from}/secrets/a`, 'k8s:enc:aesgcm:v1:key-1:hush']])

  const error = await rejectionOf(moved(keys, HERE))

  expect(error).toMatchObject({ code: 'FAILED' })
  expect(error.message).toContain('aesgcm')
  expect(await moved(keys, { from: HERE.from, to: HERE.from })).toEqual(keys)
})

function moved(keys: ReturnType<typeof logicalKeysOf>, prefixes: KeyMove): Promise<unknown[]> {
  return Array.fromAsync(moveKeys(inOrder(keys), prefixes))
}
