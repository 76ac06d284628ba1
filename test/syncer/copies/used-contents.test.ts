import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { UsedContents } from '../../../src/syncer/copies/used-contents.ts'
import { virtualObject } from '../translate/some-objects.ts'

const PATH = '/api/v1/namespaces/shop/secrets/web'

/** What the watch tells of the Secret. */
const seen = (resourceVersion: string, uid = 'uid-of-web') =>
  virtualObject('PartialObjectMetadata', {}, { resourceVersion, uid })

const secret = (resourceVersion: string, data: object, uid = 'uid-of-web') =>
  virtualObject('Secret', { data }, { resourceVersion, uid, managedFields: [{}] })

/** Contents of a plane that has this Secret, and what the plane was asked. */
function contentsOf(first: KubeObject | undefined) {
  const asked: string[] = []
  let current = first
  const get = async (path: string) => {
    asked.push(path)
    return structuredClone(current)
  }
  const contents = new UsedContents({ get }, 'secrets')
  const read = (virtual: KubeObject) => contents.read(virtual, AbortSignal.timeout(5000))
  const put = (object: KubeObject | undefined) => void (current = object)
  return { asked, contents, put, read }
}

test('asks once for what has not changed', async () => {
  const { asked, read } = contentsOf(secret('3', { a: '1' }))

  expect(await read(seen('3'))).toMatchObject({ kind: 'Secret', data: { a: '1' } })
  expect(await read(seen('3'))).toMatchObject({ data: { a: '1' } })
  expect(await read(seen('3'))).not.toHaveProperty('metadata.managedFields')
  expect(asked).toEqual([PATH])
})

test.for([
  ['changed', '4', 'uid-of-web'],
  ['made again under its name', '3', 'another-uid'],
] as const)('asks again for what was %s', async ([, version, uid]) => {
  const { asked, put, read } = contentsOf(secret('3', { a: '1' }))
  await read(seen('3'))

  put(secret(version, { a: '2' }, uid))

  expect(await read(seen(version, uid))).toMatchObject({ data: { a: '2' } })
  expect(asked).toHaveLength(2)
})

test('knows nothing of what was deleted, or is used no more', async () => {
  const { asked, contents, put, read } = contentsOf(secret('3', { a: '1' }))
  await read(seen('3'))
  contents.forget('shop/web')
  await read(seen('3'))

  put(undefined)

  expect(asked).toHaveLength(2)
  expect(await read(seen('4'))).toBeUndefined()
  expect(await read(seen('3'))).toBeUndefined()
})
