import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { unzip } from '../../../../../src/drivers/local/binaries/download/unzip.ts'
import { zip } from '../zip.ts'

test('reads only the named files of a zip archive', () => {
  const etcd = randomBytes(200_001)
  const archive = zip(
    [
      { name: 'v3/README.md', body: Buffer.from('read me') },
      { name: 'v3/etcd', body: etcd },
      { name: '../../evil', body: Buffer.from('evil') },
      { name: 'v3/etcdutl', body: Buffer.from('utl') },
    ],
    'a comment',
  )

  const found = unzip(archive, ['v3/etcdutl', 'v3/etcd', 'v3/absent'])

  expect(Object.fromEntries(found)).toEqual({ 'v3/etcd': etcd, 'v3/etcdutl': Buffer.from('utl') })
})

test('reads uncompressed files of a zip archive', () => {
  const archive = zip([{ name: 'etcd.stored', body: Buffer.from('as it is') }])

  expect(unzip(archive, ['etcd.stored']).get('etcd.stored')?.toString()).toBe('as it is')
})

test.for([
  ['is truncated', zip([{ name: 'etcd', body: randomBytes(100_000) }]).subarray(0, 50_000)],
  ['is no zip archive', Buffer.from('<html>please log in</html>')],
] as const)('fails on an archive that %s', ([, archive]) => {
  expect(() => unzip(archive, ['etcd'])).toThrow()
})
